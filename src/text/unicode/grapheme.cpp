#include "text/unicode/grapheme.hpp"

namespace kvgate::text {
namespace {

bool is_control(Grapheme g) noexcept {
  return g == Grapheme::control || g == Grapheme::cr || g == Grapheme::lf;
}

/// GB6 to GB8.
bool joins_hangul(Grapheme last, Grapheme next) noexcept {
  using enum Grapheme;
  switch (last) {
    case l:
      return next == l || next == v || next == lv || next == lvt;
    case lv:
    case v:
      return next == v || next == t;
    case lvt:
    case t:
      return next == t;
    default:
      return false;
  }
}

}  // namespace

bool GraphemeBreaks::before(char32_t c) noexcept {
  Grapheme const next = tables_.grapheme(c);
  bool const result = breaks(next);
  take(c, next);
  return result;
}

bool GraphemeBreaks::breaks(Grapheme next) const noexcept {
  using enum Grapheme;
  if (last_ == cr && next == lf) return false;
  if (is_control(last_) || is_control(next)) return true;
  if (joins_hangul(last_, next) || next == extend || next == zwj || next == spacing_mark || last_ == prepend)
    return false;
  if (next == consonant) return conjunct_ != Conjunct::linked;
  if (next == pictographic && last_ == zwj) return emoji_ != Emoji::joined;
  if (next == regional && last_ == regional) return !odd_regionals_;
  return true;
}

void GraphemeBreaks::take(char32_t c, Grapheme next) noexcept {
  using enum Grapheme;
  odd_regionals_ = next == regional && !odd_regionals_;
  if (next == pictographic) {
    emoji_ = Emoji::pictographic;
  } else if (next == zwj && emoji_ == Emoji::pictographic) {
    emoji_ = Emoji::joined;
  } else if (next != extend || emoji_ == Emoji::joined) {
    emoji_ = Emoji::none;
  }
  if (next == consonant) {
    conjunct_ = Conjunct::consonant;
  } else if (tables_.conjunct_linker(c)) {
    conjunct_ = conjunct_ == Conjunct::none ? Conjunct::none : Conjunct::linked;
  } else if (!tables_.conjunct_extend(c)) {
    conjunct_ = Conjunct::none;
  }
  last_ = next;
}

}  // namespace kvgate::text
