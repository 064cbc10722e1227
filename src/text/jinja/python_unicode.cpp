#include "text/jinja/python_unicode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>

#include "text/jinja/code_points.hpp"

namespace kvgate::jinja {
namespace {

struct Range {
  char32_t first;
  char32_t last;
  char32_t step;
};
struct CaseRun {
  char32_t first;
  char32_t last;
  char32_t step;
  std::int32_t delta;
};
struct LongerCase {
  char32_t from;
  std::array<char32_t, 3> to;  ///< 0 where it is shorter
};
struct Zero {
  char32_t zero;
};

#include "text/jinja/python_unicode_data.inc"

// The run that holds `c`, or null.
template <class Run>
Run const* find_run(std::span<Run const> runs, char32_t c) noexcept {
  auto const after =
      std::upper_bound(runs.begin(), runs.end(), c, [](char32_t x, Run const& run) { return x < run.first; });
  if (after == runs.begin()) return nullptr;
  Run const& run = *std::prev(after);
  return c <= run.last && (c - run.first) % run.step == 0 ? &run : nullptr;
}

bool in(std::span<Range const> ranges, char32_t c) noexcept {
  return find_run(ranges, c) != nullptr;
}

struct CaseMap {
  std::span<CaseRun const> runs;
  std::span<LongerCase const> longer;
  char32_t ascii_first;  ///< of the 26 letters that the map changes

  void append(std::string& out, char32_t c) const {
    if (c < 0x80) {
      out += static_cast<char>(c >= ascii_first && c < ascii_first + 26 ? c ^ 0x20 : c);
      return;
    }
    auto const found = std::find_if(longer.begin(), longer.end(), [c](LongerCase const& row) { return row.from == c; });
    if (found != longer.end()) {
      for (char32_t const to : found->to) {
        if (to != 0) append_utf8(out, to);
      }
      return;
    }
    CaseRun const* run = find_run(runs, c);
    append_utf8(out, run ? static_cast<char32_t>(static_cast<std::int32_t>(c) + run->delta) : c);
  }
};

constexpr CaseMap kUpperMap{kToUpper, kToUpperLonger, 'a'};
constexpr CaseMap kLowerMap{kToLower, kToLowerLonger, 'A'};
constexpr CaseMap kTitleMap{kToTitle, kToTitleLonger, 'a'};
constexpr CaseMap kFoldMap{kToFold, kToFoldLonger, 'A'};

// Whether the first character that counts, going on from byte `at` in steps of `move`, is cased.
template <class Move>
bool next_is_cased(std::string_view text, std::size_t at, Move move) {
  while (move(text, at)) {
    char32_t const c = code_point_at(text, at);
    if (!in(kIgnorable, c)) return in(kCased, c);
  }
  return false;
}

bool forward(std::string_view text, std::size_t& at) {
  at += width_at(text, at);
  return at < text.size();
}

bool backward(std::string_view text, std::size_t& at) {
  if (at == 0) return false;
  at = previous(text, at);
  return true;
}

// A capital sigma at the end of a word has a form of its own.
void append_lower(std::string& out, std::string_view text, std::size_t at) {
  char32_t const c = code_point_at(text, at);
  if (c != 0x3a3) return kLowerMap.append(out, c);
  bool const last = next_is_cased(text, at, backward) && !next_is_cased(text, at, forward);
  append_utf8(out, last ? 0x3c2 : 0x3c3);
}

template <class Append>
std::string converted(std::string_view text, Append append) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) append(out, at);
  return out;
}

}  // namespace

bool is_printable(char32_t c) noexcept {
  return c < 0x80 ? c >= 0x20 && c < 0x7f : !in(kUnprintable, c);
}
bool is_alpha(char32_t c) noexcept {
  return in(kAlpha, c);
}
bool is_decimal(char32_t c) noexcept {
  return in(kDecimal, c);
}
bool is_digit_character(char32_t c) noexcept {
  return in(kDigit, c);
}
bool is_numeric(char32_t c) noexcept {
  return in(kNumeric, c);
}
bool is_upper(char32_t c) noexcept {
  return in(kUpper, c);
}
bool is_lower(char32_t c) noexcept {
  return in(kLower, c);
}
bool is_title(char32_t c) noexcept {
  return in(kTitle, c);
}
bool is_cased(char32_t c) noexcept {
  return is_upper(c) || is_lower(c) || is_title(c);
}

int decimal_value(char32_t c) noexcept {
  auto const after = std::upper_bound(std::begin(kDecimalZero), std::end(kDecimalZero), c,
                                      [](char32_t x, Zero const& zero) { return x < zero.zero; });
  return static_cast<int>(c - std::prev(after)->zero);
}

std::string to_upper(std::string_view text) {
  return converted(text, [text](std::string& out, std::size_t at) { kUpperMap.append(out, code_point_at(text, at)); });
}

std::string to_lower(std::string_view text) {
  return converted(text, [text](std::string& out, std::size_t at) { append_lower(out, text, at); });
}

std::string to_title(std::string_view text) {
  bool inside = false;
  return converted(text, [text, &inside](std::string& out, std::size_t at) {
    char32_t const c = code_point_at(text, at);
    if (inside) {
      append_lower(out, text, at);
    } else {
      kTitleMap.append(out, c);
    }
    inside = in(kCased, c);
  });
}

std::string capitalized(std::string_view text) {
  return converted(text, [text](std::string& out, std::size_t at) {
    if (at == 0) {
      kTitleMap.append(out, code_point_at(text, at));
    } else {
      append_lower(out, text, at);
    }
  });
}

std::string swapped_case(std::string_view text) {
  return converted(text, [text](std::string& out, std::size_t at) {
    char32_t const c = code_point_at(text, at);
    if (is_upper(c)) return append_lower(out, text, at);
    is_lower(c) ? kUpperMap.append(out, c) : append_utf8(out, c);
  });
}

std::string case_folded(std::string_view text) {
  return converted(text, [text](std::string& out, std::size_t at) { kFoldMap.append(out, code_point_at(text, at)); });
}

}  // namespace kvgate::jinja
