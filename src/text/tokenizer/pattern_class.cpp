#include "text/tokenizer/pattern_class.hpp"

#include "text/unicode/normal.hpp"

namespace kvgate::text {
namespace {

bool is_letter(char32_t c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

CodeSet set_of(CategoryMask mask) {
  return CodeSet(ranges(mask));
}

/// Oniguruma's \w takes superscripts and fractions of Latin-1 for words, unless it stands in a class.
CodeSet words(bool in_class) {
  CodeSet const all(word_ranges());
  if (!in_class) return all;
  return all.common_with(CodeSet({{0xb2, 0xb3}, {0xb9, 0xb9}, {0xbc, 0xbe}}).inverted());
}

CodeSet hex_digits() {
  return CodeSet({{'0', '9'}, {'a', 'f'}, {'A', 'F'}});
}

/// Behind `p` or `P`.
CodeSet property(PatternText& in) {
  if (!in.take('{')) in.refuse("\\p without a name");
  bool const inverted = in.take('^');
  std::string_view const name = in.rest().substr(0, in.rest().find('}'));
  in.skip_name('}');
  CategoryMask const mask = category_mask(name);
  auto const script = script_ranges(name);
  if (mask == 0 && script.empty()) in.refuse("\\p{" + std::string(name) + "}");
  CodeSet const set = mask != 0 ? set_of(mask) : CodeSet({script.begin(), script.end()});
  return inverted ? set.inverted() : set;
}

class ClassReader {
 public:
  ClassReader(PatternText& in, PatternFlags flags) : in_(in), flags_(flags) {}

  CodeSet read(int depth) {
    constexpr int kDeepest = 20;
    if (depth > kDeepest) in_.refuse("classes nested too deep");
    bool const inverted = in_.take('^');
    CodeSet result = members(depth);
    while (in_.take("&&")) result = result.common_with(members(depth));
    if (!in_.take(']')) in_.refuse("a class that does not end");
    return inverted ? result.inverted() : result;
  }

 private:
  CodeSet members(int depth) {
    CodeSet set;
    bool first = true;
    for (; !in_.done() && !in_.rest().starts_with("&&"); first = false) {
      if (in_.peek() == ']') {
        if (first) in_.refuse("a bracket at the beginning of a class");
        break;
      }
      set.add(member(depth));
    }
    return set;
  }

  CodeSet member(int depth) {
    if (in_.rest().starts_with("[:")) in_.refuse("a POSIX class");
    if (in_.take('[')) return read(depth + 1);
    if (in_.rest().starts_with('\\')) {
      in_.skip();
      if (in_.done()) in_.refuse("a class that does not end");
      if (auto set = class_escape(in_, true)) {
        if (flags_.ignore_case) in_.refuse("(?i) with a property");
        if (in_.rest().starts_with('-') && !in_.rest().starts_with("-]")) in_.refuse("a class as the end of a range");
        return *set;
      }
      return range_from(character_escape(in_));
    }
    return range_from(in_.take_code_point());
  }

  CodeSet range_from(char32_t first) {
    bool const is_range = in_.rest().starts_with('-') && in_.rest().size() > 1 && in_.rest()[1] != ']';
    char32_t last = first;
    if (is_range) {
      in_.skip();
      last = range_end();
      if (last < first) in_.refuse("a range that ends before it begins");
    }
    CodeSet const set({{first, last}});
    return flags_.ignore_case ? folded(set, in_) : set;
  }

  char32_t range_end() {
    if (in_.done() || in_.peek() == '[') in_.refuse("a range without an end");
    if (!in_.take('\\')) return in_.take_code_point();
    if (in_.done() || class_escape(in_, true)) in_.refuse("a class as the end of a range");
    return character_escape(in_);
  }

  PatternText& in_;
  PatternFlags flags_;
};

}  // namespace

CodeSet read_class(PatternText& in, PatternFlags flags) {
  return ClassReader(in, flags).read(0);
}

std::optional<CodeSet> class_escape(PatternText& in, bool in_class) {
  char const c = in.peek();
  if (std::string_view("sSwWdDhHpP").find(c) == std::string_view::npos) return std::nullopt;
  in.skip();
  switch (c) {
    case 's':
      return set_of(masks::kSpace);
    case 'S':
      return set_of(masks::kSpace).inverted();
    case 'd':
      return set_of(masks::kDigit);
    case 'D':
      return set_of(masks::kDigit).inverted();
    case 'w':
      return words(in_class);
    case 'W':
      return words(in_class).inverted();
    case 'h':
      return hex_digits();
    case 'H':
      return hex_digits().inverted();
    case 'p':
      return property(in);
    default:
      return property(in).inverted();
  }
}

char32_t character_escape(PatternText& in) {
  char32_t const c = in.take_code_point();
  switch (c) {
    case 'n':
      return 0x0a;
    case 't':
      return 0x09;
    case 'r':
      return 0x0d;
    case 'f':
      return 0x0c;
    case 'v':
      return 0x0b;
    case 'a':
      return 0x07;
    case 'e':
      return 0x1b;
    case 'u':
      return in.take_hex(4, 4);
    case 'x':
      break;
    default:
      if (is_letter(c) || (c >= '0' && c <= '9') || c >= 0x80) in.refuse("an escape that is not known");
      return c;
  }
  if (!in.take('{')) {
    char32_t const byte = in.take_hex(2, 2);
    if (byte >= 0x80) in.refuse("a byte that is no character");
    return byte;
  }
  char32_t const value = in.take_hex(1, 8);
  if (!in.take('}')) in.refuse("an escape that does not end");
  return value;
}

CodeSet folded(CodeSet const& set, PatternText const& in) {
  CodeSet result = set;
  for (CodeRange const& range : set.ranges()) {
    if (range.last >= 0x80) in.refuse("(?i) beyond ASCII");
    for (char32_t c = range.first; c <= range.last; ++c) {
      if (!is_letter(c)) continue;
      result.add(CodeSet::of(c ^ 0x20));
      for (char32_t const other : other_folds(c | 0x20)) result.add(CodeSet::of(other));
    }
  }
  return result;
}

}  // namespace kvgate::text
