#include "text/bpe/char_kind.hpp"

#include <algorithm>

namespace kvgate::text::bpe {
namespace {

constexpr Kind kind_of(CategoryMask category) noexcept {
  if (category & mask_of(Category::Lu, Category::Lt)) return kinds::kUpper;
  if (category & mask_of(Category::Ll)) return kinds::kLower;
  if (category & masks::kLetter) return kinds::kCaseless;
  if (category & masks::kMark) return kinds::kMark;
  if (category & masks::kNumber) return kinds::kNumber;
  if (category & masks::kSpace) return kinds::kSpace;
  if (category & (masks::kPunctuation | masks::kSymbol)) return kinds::kGraphic;
  return kinds::kRest;
}

constexpr auto kKindOfCategory = [] {
  std::array<Kind, 32> out{};
  for (unsigned i = 0; i < out.size(); ++i) out[i] = kind_of(CategoryMask{1} << i);
  return out;
}();

Kind kind_of_char(char32_t c) noexcept { return kKindOfCategory[class_byte(c) & 0x1f]; }

unsigned char lead_byte(char32_t c) noexcept {
  if (c < 0x80) return static_cast<unsigned char>(c);
  if (c < 0x800) return static_cast<unsigned char>(0xc0 | c >> 6);
  if (c < 0x10000) return static_cast<unsigned char>(0xe0 | c >> 12);
  return static_cast<unsigned char>(0xf0 | c >> 18);
}

std::array<Kind, 128> ascii_kinds() noexcept {
  std::array<Kind, 128> out{};
  for (char32_t c = 0; c < out.size(); ++c) out[c] = kind_of_char(c);
  return out;
}

/// The kinds in each block of 256 code points, by the number that the class tables give the block.
std::array<Kind, 256> block_kinds() noexcept {
  std::array<Kind, 256> out{};
  for (char32_t block = 0; block <= 0x10ff; ++block) {
    auto& seen = out[tables::kBlockOf[block]];
    if (seen != 0) continue;
    for (char32_t c = 0; c < 256; ++c) seen |= kind_of_char(block << 8 | c);
  }
  return out;
}

std::array<Kind, 256> lead_kinds() noexcept {
  std::array<Kind, 256> out{};
  for (unsigned b = 0x80; b < out.size(); ++b) out[b] = b < 0xc2 || b > 0xf4 ? kinds::kRest : Kind{};
  for (char32_t c = 0; c < 0x1000; ++c) out[lead_byte(c)] |= kind_of_char(c);
  auto const by_block = block_kinds();  // from U+1000 on a block has one lead byte
  for (char32_t c = 0x1000; c <= 0x10ffff; c += 256) out[lead_byte(c)] |= by_block[tables::kBlockOf[c >> 8]];
  return out;
}

}  // namespace

std::array<Kind, 32> const kCategoryKinds = kKindOfCategory;
std::array<Kind, 128> const kAsciiKinds = ascii_kinds();
std::array<Kind, 256> const kLeadKinds = lead_kinds();

}  // namespace kvgate::text::bpe
