// The id under which a /v1/responses answer can be asked for later: where requests for that id have to go.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kvgate::openai {

/// Looks into the first bytes of one answer: the `"id"` of a JSON answer's top level, or of the `response` in the
/// first events of a stream (`response.created`). Reusable, never allocates before it finds. Not thread-safe.
class ResponseIdFinder {
 public:
  void reset() noexcept;

  /// Payload as for UsageScanner, cut anywhere. Cheap once it has found the id or given up (after 4 KiB).
  void feed(std::string_view payload);

  /// "resp_..." and fit for the `{}` of the route table; nullopt: none found.
  std::optional<std::string> const& id() const noexcept { return id_; }

 private:
  static constexpr std::size_t kHead = 4096;

  std::array<char, kHead> head_;
  std::size_t size_ = 0;
  std::optional<std::string> id_;
};

}  // namespace kvgate::openai
