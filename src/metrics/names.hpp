// Dense ids for label values that the gate itself knows: models and engine URLs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kvgate::metrics {

inline constexpr std::string_view kUnknown = "unknown";

/// Not thread-safe. Ids are 1, 2, ... in order of appearance and stay for ever; 0 stands for "unknown".
class Names {
 public:
  static constexpr std::size_t kLongest = 512;

  /// Beyond `most` names, and for the empty one and those over kLongest bytes, intern() returns 0: nobody who invents
  /// names can make the exposition grow without bound.
  explicit Names(std::size_t most) : most_(most) {}

  std::uint32_t intern(std::string_view name);

  /// Valid UTF-8: malformed bytes are U+FFFD. Never empty; "unknown" for 0 and for ids never given.
  std::string_view label(std::uint32_t id) const noexcept {
    return id == 0 || id > labels_.size() ? kUnknown : std::string_view(labels_[id - 1]);
  }
  std::uint32_t last_id() const noexcept { return static_cast<std::uint32_t>(labels_.size()); }

 private:
  std::size_t most_;
  std::deque<std::string> labels_;
  std::unordered_map<std::string, std::uint32_t> ids_;
};

}  // namespace kvgate::metrics
