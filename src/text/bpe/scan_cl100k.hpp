// cl100k and its kin (Llama 3, Qwen):
// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?W+|\p{N}{1,digits}| ?[^\s W \p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
#pragma once

#include "text/bpe/scan_common.hpp"

namespace kvgate::text::bpe {

/// `word`: the kinds of W, letters and perhaps marks.
template <int digits, Kind word>
struct Cl100kScanner {
  static constexpr SplitTraits kTraits{.digits = digits, .contractions = SplitTraits::Contractions::piece};
  static constexpr Kind kSymbol = static_cast<Kind>(~(kinds::kSpace | kinds::kNumber | word));

  static char const* next(char const* p, char const* end) noexcept {
    auto const letters = letter_mask(words_at(p, end));
    if (letters & 1) return end_of_word(p + letter_run(letters, 0), end, word);
    if (*p == ' ' && (letters & 2)) return end_of_word(p + 1 + letter_run(letters, 1), end, word);
    return other(p, end);
  }

 private:
  static char const* other(char const* p, char const* end) noexcept {
    if (*p == '\'') {
      if (auto const length = contraction(p, end)) return p + length;
    }
    auto const first = char_at(p, end);
    auto const second = p + first.length;
    if (first.kind & word) return skip(second, end, word);
    if (first.kind == kinds::kNumber) return skip_numbers(second, end, digits - 1);
    auto const follows = second < end ? char_at(second, end).kind : Kind{};
    if ((follows & word) && !is_newline(*p)) return skip(second, end, word);
    if ((first.kind & kSymbol) || (*p == ' ' && (follows & kSymbol))) return symbols(second, end);
    return space_end(p, end);
  }

  static char const* symbols(char const* p, char const* end) noexcept {
    p = skip(p, end, kSymbol);
    while (p < end && is_newline(*p)) ++p;
    return p;
  }
};

}  // namespace kvgate::text::bpe
