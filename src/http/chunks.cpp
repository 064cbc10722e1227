#include "http/chunks.hpp"

#include <algorithm>

namespace kvgate::http {
namespace {

constexpr std::uint32_t kMaxLines = 16 * 1024;   // extensions of one chunk, or all trailers

constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// What a field or an extension may hold: no control bytes but tab.
constexpr bool is_text(char c) noexcept { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); }

constexpr int hex(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  char const l = static_cast<char>(c | 0x20);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

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

/// The usual size line, digits and CRLF, in one piece: its length; 0 leaves it to step().
std::size_t ChunkTracker::plain_size_line(std::string_view bytes) noexcept {
  std::uint64_t size = 0;
  std::size_t i = 0;
  for (; i < bytes.size() && i < 8; ++i) {
    int const digit = hex(bytes[i]);
    if (digit < 0) break;
    size = size * 16 + static_cast<std::uint64_t>(digit);
  }
  if (i == 0 || size == 0 || bytes.substr(i, 2) != "\r\n") return 0;
  left_ = size;
  state_ = State::data;
  return i + 2;
}

ChunkTracker::Step ChunkTracker::next(std::string_view bytes) noexcept {
  std::size_t used = 0;
  while (state_ != State::done) {
    if (used == bytes.size()) return {Event::need_more, used, {}};
    if (state_ == State::data) {
      auto const n = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - used));
      left_ -= n;
      auto const payload = bytes.substr(used, n);
      used += n;
      if (left_ == 0) {
        bool const whole = bytes.substr(used, 2) == "\r\n";
        state_ = whole ? State::size : State::data_cr;
        if (whole) used += 2;
      }
      return {Event::payload, used, payload};
    }
    if (at_boundary()) {
      auto const line = plain_size_line(bytes.substr(used));
      used += line;
      if (line) continue;
    }
    if (!step(bytes[used])) {
      state_ = State::bad;
      return {Event::bad, used, {}};
    }
    ++used;
  }
  return {Event::done, used, {}};
}

}  // namespace kvgate::http
