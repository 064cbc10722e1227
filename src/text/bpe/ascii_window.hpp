// Up to 64 bytes of text as sets of positions, one bit for each byte: split patterns become a few operations on words.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "text/bpe/byte_block.hpp"

namespace kvgate::text::bpe {

using Positions = std::uint64_t;

/// Only ASCII counts: behind the first other byte, and the end of the text, the sets mean nothing.
struct AsciiWindow {
  static constexpr unsigned kBytes = 64;

  Positions letters = 0, lower = 0, numbers = 0;
  Positions blanks = 0;    ///< ' '
  Positions newlines = 0;  ///< \r and \n
  Positions spaces = 0;    ///< all white space
  Positions slashes = 0, apostrophes = 0;
  Positions controls = 0;  ///< that are not white space
  unsigned size = 0;       ///< where the window ends; at most 63, so that sums have a bit to carry into

  Positions symbols() const noexcept { return ~(letters | numbers | spaces); }  ///< all the rest

  static Positions below(unsigned n) noexcept { return (Positions{1} << n) - 1; }  ///< n: at most 63
};

/// The positions behind those in `set`.
constexpr Positions behind(Positions set) noexcept { return set << 1; }
/// The positions before those in `set`.
constexpr Positions before(Positions set) noexcept { return set >> 1; }

/// What of `set` is reached from `from`, a part of it, going up without a gap.
constexpr Positions flood(Positions set, Positions from) noexcept { return (set & ~(set + from)) | from; }

}  // namespace kvgate::text::bpe
