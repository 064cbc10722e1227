// Extended grapheme clusters (Unicode 17), found from left to right.
#pragma once

#include "text/unicode/normal.hpp"

namespace kvgate::text {

/// Fed with the code points of a text in order, tells before which of them a cluster begins.
class GraphemeBreaks {
 public:
  explicit GraphemeBreaks(NormalTables const& tables) noexcept : tables_(tables) {}

  /// Whether there is a boundary between what came before and `c`; true at the beginning. Takes `c` in.
  bool before(char32_t c) noexcept;

 private:
  bool breaks(Grapheme next) const noexcept;
  void take(char32_t c, Grapheme next) noexcept;

  enum class Emoji : std::uint8_t { none, pictographic, joined };
  enum class Conjunct : std::uint8_t { none, consonant, linked };

  NormalTables const& tables_;
  Grapheme last_ = Grapheme::control;  ///< after which there is always a boundary
  Emoji emoji_ = Emoji::none;
  Conjunct conjunct_ = Conjunct::none;
  bool odd_regionals_ = false;
};

}  // namespace kvgate::text
