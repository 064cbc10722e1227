#include "http/chunks.hpp"

#include <algorithm>
#include <array>

namespace kvgate::http {
namespace {

constexpr std::uint32_t kMaxLines = 16 * 1024;   // extensions of one chunk, or all trailers

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// What a field or an extension may hold: no control bytes but tab.
constexpr bool is_text(char c) noexcept { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); }

constexpr auto kHex = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (int i = 0; i < 10; ++i) table[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    table[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
    table[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(10 + i);
  }
  return table;
}();

int hex(char c) noexcept { return kHex[static_cast<unsigned char>(c)]; }

bool is_crlf(char const* at, char const* end) noexcept { return end - at >= 2 && at[0] == '\r' && at[1] == '\n'; }

}  // namespace

bool ChunkTracker::size_digit(char c) noexcept {
  int const digit = hex(c);
  if (digit >= 0) {
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    return ++digits_ <= 15;
  }
  if (digits_ == 0) return false;
  line_ = 0;
  if (c == '\r') {
    state_ = State::size_lf;
  } else if (c == ';') {
    state_ = State::extension;
  } else if (is_blank(c)) {
    state_ = State::blank;
  } else {
    return false;
  }
  return true;
}

bool ChunkTracker::step(char c) noexcept {
  switch (state_) {
    case State::size: return size_digit(c);
    case State::blank:
      if (c == ';') state_ = State::extension;
      if (c == '\r') state_ = State::size_lf;
      return (c == ';' || c == '\r' || is_blank(c)) && ++line_ <= kMaxLines;
    case State::extension:
      if (c == '\r') state_ = State::size_lf;
      return (c == '\r' || is_text(c)) && ++line_ <= kMaxLines;
    case State::size_lf:
      state_ = left_ ? State::data : State::trailer;
      digits_ = 0;
      line_ = 0;
      return c == '\n';
    case State::data_cr: state_ = State::data_lf; return c == '\r';
    case State::data_lf: state_ = State::size; return c == '\n';
    case State::trailer:
      state_ = c == '\r' ? State::end_lf : State::trailer_line;
      return c == '\r' || (is_text(c) && !is_blank(c));
    case State::trailer_line:
      if (c == '\r') state_ = State::trailer_cr;
      return (c == '\r' || is_text(c)) && ++line_ <= kMaxLines;
    case State::trailer_cr: state_ = State::trailer; return c == '\n';
    case State::end_lf: state_ = State::done; return c == '\n';
    default: return false;
  }
}

/// The usual size line, digits and CRLF, in one piece: where it ends; `at` when it is left to step().
char const* ChunkTracker::plain_size_line(char const* at, char const* end) noexcept {
  std::uint64_t size = 0;
  auto const* p = at;
  for (auto const* const most = end - at > 8 ? at + 8 : end; p != most; ++p) {
    int const digit = hex(*p);
    if (digit < 0) break;
    size = size * 16 + static_cast<std::uint64_t>(digit);
  }
  if (size == 0 || !is_crlf(p, end)) return at;
  left_ = size;
  state_ = State::data;
  return p + 2;
}

/// A piece of a chunk's data, with the line break behind it where that is there.
ChunkTracker::Step ChunkTracker::data(char const* begin, char const* at, char const* end) noexcept {
  auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, static_cast<std::uint64_t>(end - at)));
  std::string_view const payload(at, n);
  at += n;
  left_ -= n;
  if (left_ == 0) {
    bool const whole = is_crlf(at, end);
    state_ = whole ? State::size : State::data_cr;
    if (whole) at += 2;
  }
  return {Event::payload, static_cast<std::size_t>(at - begin), payload};
}

ChunkTracker::Step ChunkTracker::next(std::string_view bytes) noexcept {
  auto const* const begin = bytes.data();
  auto const* const end = begin + bytes.size();
  auto const* at = begin;
  while (state_ != State::done) {
    if (at_boundary()) at = plain_size_line(at, end);
    if (at == end) return {Event::need_more, bytes.size(), {}};
    if (state_ == State::data) return data(begin, at, end);
    if (!step(*at)) {
      state_ = State::bad;
      return {Event::bad, static_cast<std::size_t>(at - begin), {}};
    }
    ++at;
  }
  return {Event::done, static_cast<std::size_t>(at - begin), {}};
}

}  // namespace kvgate::http
