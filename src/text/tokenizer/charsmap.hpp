// The rewrite rules that a SentencePiece model carries: a double-array trie over byte strings and their replacements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kvgate/error.hpp"

namespace kvgate::text {

/// Immutable. Lookups stay inside the trie whatever it says.
class Charsmap {
 public:
  static Result<Charsmap> make(std::string_view bytes);

  /// The replacement of the shortest prefix of `text` that has one.
  std::optional<std::string_view> replacement(std::string_view text) const noexcept;

 private:
  std::optional<std::uint32_t> value_at(std::size_t unit) const noexcept;
  bool is_sound() const noexcept;

  std::vector<std::uint32_t> units_;
  std::string texts_;  ///< each ends with NUL
};

}  // namespace kvgate::text
