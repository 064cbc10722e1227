// o200k and tekken:
// [^\r\n\p{L}\p{N}]?U*W+C?|[^\r\n\p{L}\p{N}]?U+W*C?|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n/]*|
// \s*[\r\n]+|\s+(?!\S)|\s+
// with U = [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}], W = [\p{Ll}\p{Lm}\p{Lo}\p{M}], C = (?i:'s|'t|'re|'ve|'m|'ll|'d)
#pragma once

#include "text/bpe/scan_common.hpp"

namespace kvgate::text::bpe {

template <int digits, bool contractions>
struct O200kScanner {
  static constexpr SplitTraits kTraits{
      .digits = digits,
      .slashes = true,
      .cases = true,
      .contractions = contractions ? SplitTraits::Contractions::suffix : SplitTraits::Contractions::none};
  static constexpr Kind kBoth = kinds::kCaseless | kinds::kMark;
  static constexpr Kind kU = kinds::kUpper | kBoth;
  static constexpr Kind kW = kinds::kLower | kBoth;
  static constexpr Kind kSymbol = static_cast<Kind>(~(kinds::kSpace | kinds::kNumber | kinds::kLetter));

  static char const* next(char const* p, char const* end) noexcept {
    auto const words = words_at(p, end);
    auto const letters = letter_mask(words);
    auto const first = static_cast<unsigned>(~letters & 1);  // one character that is no letter may come before
    if (!(letters >> first & 1) || !may_lead(*p)) return other(p, end);
    auto const lower = letters & bit5_mask(words);
    auto const upper_end = first + static_cast<unsigned>(std::countr_one((letters & ~lower) >> first));
    auto const length = upper_end + static_cast<unsigned>(std::countr_one(lower >> upper_end));
    if (length == kBlock) return other(p, end);
    if (p + length == end || static_cast<signed char>(p[length]) >= 0) return with_contraction(p + length, end);
    return other(p, end);
  }

 private:
  /// Whether the ASCII character may begin a word: a letter or [^\r\n\p{L}\p{N}].
  static bool may_lead(char c) noexcept {
    auto const b = static_cast<unsigned char>(c);
    return b < 0x80 && kAsciiKinds[b] != kinds::kNumber && !is_newline(c);
  }

  static char const* with_contraction(char const* p, char const* end) noexcept {
    if constexpr (contractions) {
      if (p < end && *p == '\'') p += contraction(p, end);
    }
    return p;
  }

  static char const* other(char const* p, char const* end) noexcept {
    auto const first = char_at(p, end);
    if (auto const word_end = word(p, first, end)) return with_contraction(word_end, end);
    auto const second = p + first.length;
    if (first.kind == kinds::kNumber) return skip_numbers(second, end, digits - 1);
    auto const space_before = *p == ' ' && second < end && (char_at(second, end).kind & kSymbol);
    if ((first.kind & kSymbol) || space_before) return symbols(second, end);
    return space_end(p, end);
  }

  /// The first two alternatives but for C; nullptr: no match.
  static char const* word(char const* p, CharStep first, char const* end) noexcept {
    auto const second = p + first.length;
    auto const leads = !(first.kind & (kinds::kLetter | kinds::kNumber)) && !is_newline(*p);
    auto const begins = (first.kind & (kU | kW)) != 0;
    if (auto const e = leads ? lower_word(second, end) : nullptr) return e;
    if (auto const e = begins ? lower_word(p, end) : nullptr) return e;
    if (auto const e = skip(second, end, kU); leads && e > second) return e;
    return begins ? skip(p, end, kU) : nullptr;  // a word without any W has at least one U here
  }

  /// U*W+. Where no W follows the U, the last of them that is a W as well takes that part.
  static char const* lower_word(char const* p, char const* end) noexcept {
    char const* behind_both = nullptr;
    while (p < end) {
      auto const first = static_cast<unsigned char>(*p);
      auto const all = kLeadKinds[first];  // most often of one kind, known without looking further
      auto const step = all & ~kBoth ? char_at(p, end) : CharStep{all, utf8_length(first), 0};
      if (step.kind & kinds::kLower) return skip(p, end, kW);
      if (!(step.kind & kU)) break;
      p = end - p < step.length ? end : p + step.length;
      if (step.kind & kBoth) behind_both = p;
    }
    return behind_both;
  }

  static char const* symbols(char const* p, char const* end) noexcept {
    p = skip(p, end, kSymbol);
    while (p < end && (is_newline(*p) || *p == '/')) ++p;
    return p;
  }
};

}  // namespace kvgate::text::bpe
