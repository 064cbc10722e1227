// Hangul syllables are composed by arithmetic (Unicode, section 3.12).
#pragma once

#include <optional>

namespace kvgate::text::hangul {

inline constexpr char32_t kSyllables = 0xac00, kLeads = 0x1100, kVowels = 0x1161, kTails = 0x11a7;
inline constexpr char32_t kLeadCount = 19, kVowelCount = 21, kTailCount = 28;
inline constexpr char32_t kSyllableCount = kLeadCount * kVowelCount * kTailCount;

constexpr bool is_syllable(char32_t c) noexcept {
  return c - kSyllables < kSyllableCount;
}

/// A vowel or tail that may join what stands before it. The first of the tails stands for none.
constexpr bool is_jamo_tail(char32_t c) noexcept {
  return c - kVowels < kVowelCount || c - (kTails + 1) < kTailCount - 1;
}

constexpr std::optional<char32_t> compose(char32_t first, char32_t second) noexcept {
  if (first - kLeads < kLeadCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeads) * kVowelCount + (second - kVowels)) * kTailCount;
  }
  bool const open = is_syllable(first) && (first - kSyllables) % kTailCount == 0;
  if (open && second - (kTails + 1) < kTailCount - 1) return first + (second - kTails);
  return std::nullopt;
}

/// Calls put() with the two or three parts of a syllable.
template <class Put>
void decompose(char32_t syllable, Put&& put) {
  char32_t const index = syllable - kSyllables;
  put(kLeads + index / (kVowelCount * kTailCount));
  put(kVowels + index % (kVowelCount * kTailCount) / kTailCount);
  if (index % kTailCount != 0) put(kTails + index % kTailCount);
}

}  // namespace kvgate::text::hangul
