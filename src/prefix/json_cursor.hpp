// A reader of JSON that was not validated: it never leaves its span, and whatever is wrong ends the text there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "prefix/json_scan.hpp"

namespace kvgate::prefix {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view json) noexcept : at_(json.data()), end_(json.data() + json.size()) {}

  char const* at() const noexcept { return at_; }
  char const* end() const noexcept { return end_; }
  bool done() const noexcept { return at_ == end_; }
  void advance(std::size_t count) noexcept { at_ += count; }
  void move_to(char const* at) noexcept { at_ = at; }

  /// What is wrong ends the text: nothing is read from here on.
  void fail() noexcept { at_ = end_; }

  /// The next byte that is no blank, not consumed; '\0' at the end.
  char peek() noexcept {
    while (at_ != end_ && static_cast<unsigned char>(*at_) <= ' ') ++at_;
    return at_ == end_ ? '\0' : *at_;
  }

  /// Consumes `c` if it is next; otherwise nothing but blanks.
  bool take(char c) noexcept {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  /// Consumes up to the next quote or backslash.
  std::string_view plain_run() noexcept {
    auto const* const from = at_;
    at_ = find_quote_or_backslash(at_, end_);
    return {from, static_cast<std::size_t>(at_ - from)};
  }

  /// Consumes a whole number of at most nine digits; nothing and a negative number when none is next.
  std::int64_t small_number() noexcept;

  /// Consumes a number or literal: whatever stands before the next blank or structural character.
  std::string_view scalar() noexcept;

  /// Consumes one value of any kind and depth. What is cut off counts up to the end.
  std::string_view skip_value() noexcept;

 private:
  void skip_string() noexcept;
  void skip_nested() noexcept;

  char const* at_;
  char const* end_;
};

}  // namespace kvgate::prefix
