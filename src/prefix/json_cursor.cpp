#include "prefix/json_cursor.hpp"

#include <algorithm>
#include <bit>

#include "prefix/mix.hpp"

namespace kvgate::prefix {
namespace {

/// Whether a number or literal ends before `c`.
bool ends_scalar(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ' || c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '[' ||
         c == '{';
}

/// How many of the eight characters, the lowest first, are digits before one is none.
unsigned leading_digits(std::uint64_t text) noexcept {
  auto const digits = text ^ 0x3030303030303030;
  auto const others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
  return static_cast<unsigned>(std::countr_zero(others)) / 8;
}

/// The number that the first `count` of eight characters are: added up in pairs, then pairs of pairs.
std::uint32_t eight_digits(std::uint64_t text, unsigned count) noexcept {
  if (count == 0) return 0;
  auto digits = (text ^ 0x3030303030303030) << (64 - 8 * count);
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FF;
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFF;
  return static_cast<std::uint32_t>(digits * 10'000 + (digits >> 32));
}

}  // namespace

std::int64_t JsonCursor::small_number() noexcept {
  std::uint32_t number = 0;
  auto const* at = at_;
  if (end_ - at_ >= 8) {
    auto const text = load64(at);
    auto const digits = leading_digits(text);
    number = eight_digits(text, digits);
    at += digits;
  }
  for (; at != end_ && *at >= '0' && *at <= '9'; ++at) {
    if (at - at_ == 9) return -1;
    number = number * 10 + static_cast<std::uint32_t>(*at - '0');
  }
  if (at == at_ || (at != end_ && *at != ',' && !ends_scalar(*at))) return -1;
  at_ = at;
  return number;
}

std::string_view JsonCursor::scalar() noexcept {
  auto const* const from = at_;
  at_ = std::find_if(at_, end_, ends_scalar);
  return {from, static_cast<std::size_t>(at_ - from)};
}

std::string_view JsonCursor::skip_value() noexcept {
  auto const first = peek();
  auto const* const from = at_;
  if (first == '"') {
    skip_string();
  } else if (first == '{' || first == '[') {
    skip_nested();
  } else {
    scalar();
  }
  return {from, static_cast<std::size_t>(at_ - from)};
}

void JsonCursor::skip_string() noexcept {
  ++at_;
  while (true) {
    plain_run();
    if (at_ == end_) return;
    if (*at_ == '"') return advance(1);
    advance(end_ - at_ < 2 ? 1 : 2);
  }
}

void JsonCursor::skip_nested() noexcept {
  std::size_t depth = 0;
  while (at_ != end_) {
    auto const c = *at_;
    if (c == '"') {
      skip_string();
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return;
  }
}

}  // namespace kvgate::prefix
