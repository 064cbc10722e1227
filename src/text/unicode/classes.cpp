#include "text/unicode/classes.hpp"

#include <algorithm>
#include <array>

#include "text/unicode/class_tables.hpp"

namespace kvgate::text {
namespace {

struct MaskRow {
  std::string_view name;
  CategoryMask mask;
};

constexpr auto kMaskRows = std::to_array<MaskRow>({
    {"L", masks::kLetter},         {"M", masks::kMark},           {"N", masks::kNumber},
    {"P", masks::kPunctuation},    {"S", masks::kSymbol},         {"Z", masks::kSeparator},
    {"C", masks::kOther},          {"Lu", mask_of(Category::Lu)}, {"Ll", mask_of(Category::Ll)},
    {"Lt", mask_of(Category::Lt)}, {"Lm", mask_of(Category::Lm)}, {"Lo", mask_of(Category::Lo)},
    {"Mn", mask_of(Category::Mn)}, {"Mc", mask_of(Category::Mc)}, {"Me", mask_of(Category::Me)},
    {"Nd", mask_of(Category::Nd)}, {"Nl", mask_of(Category::Nl)}, {"No", mask_of(Category::No)},
    {"Pc", mask_of(Category::Pc)}, {"Pd", mask_of(Category::Pd)}, {"Ps", mask_of(Category::Ps)},
    {"Pe", mask_of(Category::Pe)}, {"Pi", mask_of(Category::Pi)}, {"Pf", mask_of(Category::Pf)},
    {"Po", mask_of(Category::Po)}, {"Sm", mask_of(Category::Sm)}, {"Sc", mask_of(Category::Sc)},
    {"Sk", mask_of(Category::Sk)}, {"So", mask_of(Category::So)}, {"Zs", mask_of(Category::Zs)},
    {"Zl", mask_of(Category::Zl)}, {"Zp", mask_of(Category::Zp)}, {"Cc", masks::kControl},
    {"Cf", mask_of(Category::Cf)}, {"Cs", mask_of(Category::Cs)}, {"Co", mask_of(Category::Co)},
    {"Cn", mask_of(Category::Cn)},
});

template <class Predicate>
std::vector<CodeRange> ranges_where(Predicate wanted) {
  std::vector<CodeRange> out;
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    if (!wanted(c)) continue;
    if (!out.empty() && out.back().last + 1 == c)
      out.back().last = c;
    else
      out.push_back({c, c});
  }
  return out;
}

}  // namespace

CategoryMask category_mask(std::string_view name) noexcept {
  auto const row = std::ranges::find(kMaskRows, name, &MaskRow::name);
  return row == kMaskRows.end() ? 0 : row->mask;
}

std::vector<CodeRange> ranges(CategoryMask mask) {
  return ranges_where([mask](char32_t c) { return in(c, mask); });
}

std::vector<CodeRange> word_ranges() {
  return ranges_where(is_word);
}

std::span<CodeRange const> script_ranges(std::string_view name) noexcept {
  std::span const rows(tables::kScripts, tables::kScriptCount);
  auto const row = std::ranges::find(rows, name, &tables::ScriptRow::name);
  return row == rows.end() ? std::span<CodeRange const>{} : row->ranges;
}

std::u32string_view other_folds(char32_t letter) noexcept {
  std::span const rows(tables::kFolds, tables::kFoldCount);
  auto const row = std::ranges::find(rows, letter, &tables::FoldRow::letter);
  return row == rows.end() ? std::u32string_view{} : std::u32string_view(&row->other, 1);
}

}  // namespace kvgate::text
