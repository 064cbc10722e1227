// A part of the text on its way through the pipeline.
#pragma once

#include <cstdint>
#include <string_view>

namespace kvgate::text {

inline constexpr std::uint32_t kNoToken = 0xffffffff;

/// Views into the caller's text or an arena. Copying is cheap.
struct Piece {
  std::string_view text;
  std::uint32_t const* origins = nullptr;  ///< for each byte of text, where it comes from; only in tracked pipelines
  std::uint32_t shift = 0;                 ///< where the piece begins in the caller's text
  std::uint32_t token = kNoToken;          ///< an added token: not to be touched any more
  bool loose = false;                      ///< begins with what was put in before everything, see Rewritten

  bool is_token() const noexcept { return token != kNoToken; }

  /// The part from `begin` to `end`.
  Piece part(std::size_t begin, std::size_t end) const noexcept {
    Piece result = *this;
    result.text = text.substr(begin, end - begin);
    if (begin < end) result.shift = origins ? origins[begin] : shift + static_cast<std::uint32_t>(begin);
    if (origins) result.origins = origins + begin;
    result.loose = loose && begin == 0;
    return result;
  }
};

}  // namespace kvgate::text
