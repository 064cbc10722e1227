#include "text/tokenizer/pattern_syntax.hpp"

#include "base/utf8.hpp"
#include "text/tokenizer/pattern_class.hpp"

namespace kvgate::text {
namespace {

/// A piece of the translated pattern.
struct Fragment {
  std::string text;
  bool may_be_empty = true;  ///< can match without taking a character
  bool repeatable = true;    ///< a quantifier may follow
};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : in_(pattern) {}

  std::string translate() {
    Fragment const whole = alternatives();
    if (!in_.done()) in_.refuse("a closing parenthesis without its opening one");
    return whole.text;
  }

 private:
  static constexpr int kDeepest = 100;

  Fragment alternatives() {
    if (++depth_ > kDeepest) in_.refuse("groups nested too deep");
    PatternFlags const outer = flags_;  // (?i) holds to the end of the group
    Fragment result = sequence();
    while (in_.take('|')) {
      Fragment const other = sequence();
      result.text += "|" + other.text;
      result.may_be_empty |= other.may_be_empty;
    }
    flags_ = outer;
    --depth_;
    return result;
  }

  Fragment sequence() {
    Fragment result;
    last_folded_ = 0;
    while (!in_.done() && in_.peek() != '|' && in_.peek() != ')') {
      Fragment const part = quantified(atom());
      result.text += part.text;
      result.may_be_empty &= part.may_be_empty;
    }
    return result;
  }

  // ---- atoms

  Fragment atom() {
    char const c = in_.peek();
    if (c != '\\' && !is_plain(c)) last_folded_ = 0;
    switch (c) {
      case '(':
        return in_.skip(), group();
      case '[':
        return in_.skip(), Fragment{read_class(in_, flags_).to_pcre(), false};
      case '.':
        return in_.skip(), Fragment{flags_.dot_all ? "(?s:.)" : "[^\\x{a}]", false};
      case '^':
        return in_.skip(), Fragment{"(?m:^)", true, false};
      case '$':
        return in_.skip(), Fragment{"(?:(?=\\x{a})|\\z)", true, false};
      case '*':
      case '+':
      case '?':
        in_.refuse("a quantifier with nothing before it");
      case '\\':
        return in_.skip(), escape();
      default:
        return literal(in_.take_code_point());
    }
  }

  static bool is_plain(char c) noexcept { return std::string_view("([.^$*+?").find(c) == std::string_view::npos; }

  Fragment literal(char32_t c) {
    if (!flags_.ignore_case) return {CodeSet::of(c).to_pcre(), false};
    refuse_multi_folds(c);
    return {folded(CodeSet::of(c), in_).to_pcre(), false};
  }

  /// Oniguruma's (?i:ss) matches one character too, U+00DF.
  void refuse_multi_folds(char32_t c) {
    char const lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c < 0x80 ? static_cast<char>(c) : '\0';
    std::string const pair{last_folded_, lower};
    for (std::string_view const known : {"ss", "ff", "fi", "fl", "st"}) {
      if (pair == known) in_.refuse("(?i) with \"" + pair + "\"");
    }
    last_folded_ = lower;
  }

  Fragment escape() {
    if (in_.done()) in_.refuse("a backslash at the end");
    char const c = in_.peek();
    if (auto const set = class_escape(in_, false)) return last_folded_ = 0, Fragment{set->to_pcre(), false};
    if (c == 'A' || c == 'z' || c == 'Z' || c == 'b' || c == 'B') return last_folded_ = 0, in_.skip(), anchor(c);
    return literal(character_escape(in_));
  }

  static Fragment anchor(char c) {
    std::string const word = CodeSet(word_ranges()).to_pcre();
    std::string const edge = "(?<=" + word + ")(?!" + word + ")|(?<!" + word + ")(?=" + word + ")";
    std::string const inside = "(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" + word + ")";
    switch (c) {
      case 'A':
        return {"\\A", true, false};
      case 'z':
        return {"\\z", true, false};
      case 'Z':
        return {"(?:(?=\\x{a}\\z)|\\z)", true, false};
      case 'b':
        return {"(?:" + edge + ")", true, false};
      default:
        return {"(?:" + inside + ")", true, false};
    }
  }

  // ---- groups

  Fragment group() {
    if (!in_.take('?')) return closed("(?:", true);
    if (in_.take("<=")) return closed("(?<=", false);
    if (in_.take("<!")) return closed("(?<!", false);
    if (in_.take('=')) return closed("(?=", false);
    if (in_.take('!')) return closed("(?!", false);
    if (in_.take('>')) return closed("(?>", true);
    if (in_.take(':')) return closed("(?:", true);
    if (in_.take('<')) {
      in_.skip_name('>');
      return closed("(?:", true);
    }
    return flag_group();
  }

  /// A look-around matches without taking a character, and is not to be repeated.
  Fragment closed(std::string const& opening, bool takes) {
    Fragment inner = alternatives();
    if (!in_.take(')')) in_.refuse("an opening parenthesis without its closing one");
    return {opening + inner.text + ")", !takes || inner.may_be_empty, takes};
  }

  /// Behind `(?`: `i:...)` or `i)`, which holds for the rest of the enclosing group and its alternatives.
  Fragment flag_group() {
    PatternFlags const outer = flags_;
    read_flags();
    if (in_.take(':')) {
      Fragment const result = closed("(?:", true);
      flags_ = outer;
      return result;
    }
    if (!in_.take(')')) in_.refuse("an unknown kind of group");
    Fragment rest = alternatives();
    flags_ = outer;
    return {"(?:" + rest.text + ")", rest.may_be_empty, false};
  }

  void read_flags() {
    bool on = true;
    for (; !in_.done() && in_.peek() != ':' && in_.peek() != ')'; in_.skip()) {
      switch (in_.peek()) {
        case '-':
          on = false;
          break;
        case 'i':
          flags_.ignore_case = on;
          break;
        case 'm':
          flags_.dot_all = on;
          break;
        default:
          in_.refuse("an unknown kind of group");
      }
    }
  }

  // ---- quantifiers

  Fragment quantified(Fragment part) {
    bool again = false;
    while (auto const bounds = in_.take_quantifier()) {
      if (!part.repeatable || again) in_.refuse("a quantifier that cannot stand there");
      if (part.may_be_empty && bounds->unbounded) in_.refuse("a repeat of what may be empty");
      part = repeated(std::move(part), *bounds);
      again = true;
    }
    return part;
  }

  /// Only after *, + and ? do ? and + mean lazy and possessive.
  Fragment repeated(Fragment part, Quantifier const& bounds) {
    Fragment result{part.text + bounds.text, part.may_be_empty || bounds.least_is_zero};
    if (bounds.is_interval) {
      bool const lazy = in_.take('?');
      if (lazy && bounds.is_exact) return {"(?:" + result.text + ")?", true};
      if (lazy) result.text += '?';
      if (!lazy && in_.take('+')) {  // not possessive here: once more, any number of times
        if (result.may_be_empty) in_.refuse("a repeat of what may be empty");
        result.text = "(?:" + result.text + ")+";
      }
      return result;
    }
    if (in_.take('?'))
      result.text += '?';
    else if (in_.take('+'))
      result.text += '+';
    return result;
  }

  PatternText in_;
  PatternFlags flags_;
  char last_folded_ = 0;  ///< the letter just before, within (?i)
  int depth_ = 0;
};

}  // namespace

Result<std::string> to_pcre_pattern(std::string_view oniguruma) {
  try {
    return Translator(oniguruma).translate();
  } catch (PatternError const& e) {
    return Error(ErrorKind::bad_request, "the pattern has " + e.what + ", which is not supported");
  }
}

}  // namespace kvgate::text
