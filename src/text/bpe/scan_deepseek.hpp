// DeepSeek V3, three patterns one after the other, each looking inside what the one before left apart:
// \p{N}{1,3}   then   [一-龥぀-ゟ゠-ヿ]+   then
// [!-/:-@\[-`{-~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
#pragma once

#include "text/bpe/scan_common.hpp"

namespace kvgate::text::bpe {

struct DeepSeekScanner {
  static constexpr SplitTraits kTraits{.digits = 3, .numbers_apart = true};
  static constexpr Kind kWord = kinds::kLetter | kinds::kMark;

  static char const* next(char const* p, char const* end) noexcept {
    auto const letters = letter_mask(words_at(p, end));
    if (letters & 1) return ascii_word(p, letter_run(letters, 0), end);
    if (*p == ' ' && (letters & 2)) return ascii_word(p, 1 + letter_run(letters, 1), end);
    auto const first = char_at(p, end);
    if (first.kind == kinds::kNumber) return skip_numbers(p + first.length, end, 2);
    return Part{.end = end, .ideographs = is_ideograph(first.code_point)}.next(p, first);
  }

 private:
  static bool is_ideograph(char32_t c) noexcept {
    return (c >= 0x4e00 && c <= 0x9fa5) || (c >= 0x3040 && c <= 0x30ff);
  }

  static char const* ascii_word(char const* p, unsigned length, char const* end) noexcept {
    p += length;
    if (p == end || (static_cast<signed char>(*p) >= 0 && length < kBlock)) return p;
    return Part{.end = end}.word_end(p);
  }

  /// The third pattern inside a part that ends at a number, and where ideographs begin or end.
  struct Part {
    char const* end;
    bool ideographs = false;

    /// The character at `p`; of kind 0 where the part ends.
    CharStep at(char const* p) const noexcept {
      if (p == end) return {};
      auto const step = char_at(p, end);
      return step.kind == kinds::kNumber || is_ideograph(step.code_point) != ideographs ? CharStep{} : step;
    }

    char const* skip(char const* p, Kind wanted) const noexcept {
      for (auto step = at(p); step.kind & wanted; step = at(p)) p += step.length;
      return p;
    }

    char const* word_end(char const* p) const noexcept { return skip(p, kWord); }

    char const* next(char const* p, CharStep first) const noexcept {
      auto const second = p + first.length;
      auto const follows = at(second);
      if (first.code_point < 0x80 && first.kind == kinds::kGraphic && second < end && is_ascii_letter(*second))
        return skip_ascii_letters(second);
      if (first.kind & kWord) return word_end(second);
      if (first.kind != kinds::kGraphic && !is_newline(*p) && (follows.kind & kWord)) return word_end(second);
      if (first.kind == kinds::kGraphic || (*p == ' ' && follows.kind == kinds::kGraphic)) return symbols(second);
      return first.kind == kinds::kSpace ? spaces(p) : unmatched(second);
    }

    char const* skip_ascii_letters(char const* p) const noexcept {
      while (p < end && is_ascii_letter(*p)) ++p;
      return p;
    }

    char const* symbols(char const* p) const noexcept {
      p = skip(p, kinds::kGraphic);
      while (at(p).kind != 0 && is_newline(*p)) ++p;
      return p;
    }

    char const* spaces(char const* p) const noexcept { return space_end(p, part_end_after_spaces(p)); }

    /// The end of the part where only white space is left of it, else the end of the text.
    char const* part_end_after_spaces(char const* p) const noexcept {
      p = skip(p, kinds::kSpace);
      return at(p).kind == 0 ? p : end;
    }

    /// Controls and unassigned characters that no alternative takes, up to where one matches.
    char const* unmatched(char const* p) const noexcept {
      for (auto step = at(p); step.kind == kinds::kRest; step = at(p)) {
        if (at(p + step.length).kind & kWord) break;
        p += step.length;
      }
      return p;
    }
  };
};

}  // namespace kvgate::text::bpe
