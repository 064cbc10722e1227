// Character classes as the regex engine inside HuggingFace `tokenizers` has them (Unicode 16.0), whatever Unicode the
// libraries of this machine know. All of it is constant data: free to use from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvgate::text {

/// General categories. `space_control` are the control characters that \s matches: with them apart, \s is a union of
/// categories like every other class.
enum class Category : std::uint8_t {
  Lu,
  Ll,
  Lt,
  Lm,
  Lo,
  Mn,
  Mc,
  Me,
  Nd,
  Nl,
  No,
  Pc,
  Pd,
  Ps,
  Pe,
  Pi,
  Pf,
  Po,
  Sm,
  Sc,
  Sk,
  So,
  Zs,
  Zl,
  Zp,
  Cc,
  Cf,
  Cs,
  Co,
  Cn,
  space_control,
};

/// A set of categories: bit n is category n.
using CategoryMask = std::uint32_t;

template <class... C>
constexpr CategoryMask mask_of(C... categories) noexcept {
  return ((CategoryMask{1} << static_cast<unsigned>(categories)) | ...);
}

namespace masks {
inline constexpr CategoryMask kLetter = mask_of(Category::Lu, Category::Ll, Category::Lt, Category::Lm, Category::Lo);
inline constexpr CategoryMask kMark = mask_of(Category::Mn, Category::Mc, Category::Me);
inline constexpr CategoryMask kNumber = mask_of(Category::Nd, Category::Nl, Category::No);
inline constexpr CategoryMask kDigit = mask_of(Category::Nd);  ///< \d as well
inline constexpr CategoryMask kPunctuation =
    mask_of(Category::Pc, Category::Pd, Category::Ps, Category::Pe, Category::Pi, Category::Pf, Category::Po);
inline constexpr CategoryMask kSymbol = mask_of(Category::Sm, Category::Sc, Category::Sk, Category::So);
inline constexpr CategoryMask kSeparator = mask_of(Category::Zs, Category::Zl, Category::Zp);
inline constexpr CategoryMask kControl = mask_of(Category::Cc, Category::space_control);
inline constexpr CategoryMask kOther = kControl | mask_of(Category::Cf, Category::Cs, Category::Co, Category::Cn);
inline constexpr CategoryMask kSpace = kSeparator | mask_of(Category::space_control);  ///< \s: 25 characters
}  // namespace masks

namespace tables {
extern std::uint8_t const kBlockOf[];
extern std::uint8_t const kCategoryBlocks[];
}  // namespace tables

/// Low five bits: the category. Bit 7: \w. `c` must be at most U+10FFFF.
inline std::uint8_t class_byte(char32_t c) noexcept {
  return tables::kCategoryBlocks[(static_cast<std::size_t>(tables::kBlockOf[c >> 8]) << 8) | (c & 0xff)];
}

inline Category category(char32_t c) noexcept {
  return static_cast<Category>(class_byte(c) & 0x1f);
}

/// Whether `c` is in one of the categories of `mask`.
inline bool in(char32_t c, CategoryMask mask) noexcept {
  return mask >> (class_byte(c) & 0x1f) & 1;
}

/// \w. It is no union of categories: some numbers (U+09F4) are outside, most (U+00B2) inside.
inline bool is_word(char32_t c) noexcept {
  return class_byte(c) & 0x80;
}

/// Both ends belong to it.
struct CodeRange {
  char32_t first, last;
  bool operator==(CodeRange const&) const = default;
};

/// The class that \p{name} names: a category or its initial ("L", "Nd", "Zs"). 0 when there is no such.
CategoryMask category_mask(std::string_view name) noexcept;

/// The characters of `mask`, ascending and merged. Walks all code points (about 5 ms): for load time.
std::vector<CodeRange> ranges(CategoryMask mask);

/// The same of \w.
std::vector<CodeRange> word_ranges();

/// \p{Han} and a dozen other scripts, by their full names. Empty when the script is not known here.
std::span<CodeRange const> script_ranges(std::string_view name) noexcept;

/// What (?i:x) matches beside x and its other case, for an ASCII letter in lower case: U+017F for s, U+212A for k.
std::u32string_view other_folds(char32_t letter) noexcept;

}  // namespace kvgate::text
