// GPT-2: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <string_view>

#include "text/bpe/scan_common.hpp"

namespace kvgate::text::bpe {

struct Gpt2Scanner {
  static constexpr SplitTraits kTraits{
      .digits = 0, .leads = false, .newlines = false, .contractions = SplitTraits::Contractions::lower_piece};
  static constexpr Kind kSymbol = static_cast<Kind>(~(kinds::kSpace | kinds::kNumber | kinds::kLetter));

  static char const* next(char const* p, char const* end) noexcept {
    auto const letters = letter_mask(words_at(p, end));
    if (letters & 1) return end_of_word(p + letter_run(letters, 0), end, kinds::kLetter);
    if (*p == ' ' && (letters & 2)) return end_of_word(p + 1 + letter_run(letters, 1), end, kinds::kLetter);
    return other(p, end);
  }

 private:
  static char const* other(char const* p, char const* end) noexcept {
    if (*p == '\'') {
      if (auto const length = lower_contraction({p, static_cast<std::size_t>(end - p)})) return p + length;
    }
    auto first = char_at(p, end);
    if (*p == ' ' && p + 1 < end) {
      auto const second = char_at(p + 1, end);
      if (second.kind != kinds::kSpace) return skip(p + 1, end, run_of(second.kind));
    }
    return first.kind == kinds::kSpace ? spaces(p, end) : skip(p, end, run_of(first.kind));
  }

  /// The class whose run a character of this kind begins.
  static Kind run_of(Kind kind) noexcept {
    if (kind & kinds::kLetter) return kinds::kLetter;
    return kind == kinds::kNumber ? kind : kSymbol;
  }

  static char const* spaces(char const* p, char const* end) noexcept {
    auto const first = p;
    auto last = p;
    for (; p < end; ) {
      auto const step = char_at(p, end);
      if (step.kind != kinds::kSpace) break;
      last = p;
      p += step.length;
    }
    return leave_one(first, last, p, end);
  }
};

}  // namespace kvgate::text::bpe
