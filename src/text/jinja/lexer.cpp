#include "text/jinja/lexer.hpp"

#include <algorithm>
#include <string>

#include "base/utf8.hpp"
#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/number_text.hpp"
#include "text/jinja/string_literal.hpp"
#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {
namespace {

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_hex_digit(char c) noexcept {
  return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

// One kind of newline, without the last one of the file.
std::string_view normalize(std::string_view source, Arena& arena) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    bool const carriage_return = source[i] == '\r';
    if (carriage_return && i + 1 < source.size() && source[i + 1] == '\n') continue;
    text += carriage_return ? '\n' : source[i];
  }
  if (text.ends_with('\n')) text.pop_back();
  return arena.copy(text);
}

class Lexer {
 public:
  Lexer(std::string_view source, Arena& arena) : arena_(arena), text_(normalize(source, arena)) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) lex_root();
    push(TokenType::end, {});
    return std::move(tokens_);
  }

 private:
  // Text up to the next tag, and the tag.
  void lex_root() {
    std::size_t const tag = find_tag();
    std::string_view const data = text_.substr(at_, tag - at_);
    if (tag == text_.size()) {
      push_data(data);
      advance(data.size());
      return;
    }
    char const type = text_[tag + 1];
    char const sign = sign_at(tag + 2);
    push_data(strip_before(data, sign, type == '{'));
    advance(data.size() + 2 + (sign ? 1 : 0));
    if (type == '#') return lex_comment();
    if (type == '{') {
      push(TokenType::variable_begin, {});
      return lex_inside(true);
    }
    if (skip_raw_begin()) return lex_raw();
    push(TokenType::block_begin, {});
    lex_inside(false);
  }

  std::size_t find_tag() const {
    for (std::size_t brace = at_; (brace = text_.find('{', brace)) != std::string_view::npos; ++brace) {
      char const next = brace + 1 < text_.size() ? text_[brace + 1] : '\0';
      if (next == '%' || next == '{' || next == '#') return brace;
    }
    return text_.size();
  }

  char sign_at(std::size_t at) const {
    char const c = at < text_.size() ? text_[at] : '\0';
    return c == '-' || c == '+' ? c : '\0';
  }

  // '-' strips all white space before the tag; otherwise the indentation of a statement or comment goes.
  std::string_view strip_before(std::string_view data, char sign, bool variable) const {
    if (sign == '-') return strip_right(data);
    if (sign == '+' || variable) return data;
    std::size_t const newline = data.rfind('\n');
    if (newline == std::string_view::npos && !line_starting_) return data;
    std::size_t const line = newline == std::string_view::npos ? 0 : newline + 1;
    return strip(data.substr(line)).empty() ? data.substr(0, line) : data;
  }

  void lex_comment() {
    std::size_t const end = text_.find("#}", at_);
    if (end == std::string_view::npos) syntax_error("Missing end of comment tag", line_);
    bool const sign = end > at_ && (text_[end - 1] == '-' || text_[end - 1] == '+');
    advance((sign ? end - 1 : end) - at_);
    skip_end("#}", true);
  }

  // "{%" and the sign are read; whether "raw %}" follows.
  bool skip_raw_begin() {
    std::size_t at = skip_space_from(at_);
    if (text_.substr(at, 3) != "raw") return false;
    at = skip_space_from(at + 3);
    bool const minus = text_.substr(at, 3) == "-%}";
    if (!minus && text_.substr(at, 2) != "%}") return false;
    advance(at + (minus ? 3 : 2) - at_);
    if (minus) advance(skip_space_from(at_) - at_);
    line_starting_ = text_[at_ - 1] == '\n';
    return true;
  }

  void lex_raw() {
    for (std::size_t tag = at_; (tag = text_.find("{%", tag)) != std::string_view::npos; ++tag) {
      char const sign = sign_at(tag + 2);
      std::size_t at = skip_space_from(tag + 2 + (sign ? 1 : 0));
      if (text_.substr(at, 6) != "endraw") continue;
      at = skip_space_from(at + 6);
      std::size_t const end = at + (sign_at(at) ? 1 : 0);
      if (text_.substr(end, 2) != "%}") continue;
      std::string_view const data = text_.substr(at_, tag - at_);
      push_data(strip_before(data, sign, false));
      advance(at - at_);
      skip_end("%}", true);
      return;
    }
    syntax_error("Missing end of raw directive", line_);
  }

  // The tokens of {{ }} or {% %}, with the end.
  void lex_inside(bool variable) {
    std::string_view const close = variable ? "}}" : "%}";
    while (at_ < text_.size()) {
      if (brackets_.empty() && at_end(close, variable)) {
        skip_end(close, !variable);
        push(variable ? TokenType::variable_end : TokenType::block_end, {});
        return;
      }
      lex_token();
    }
  }

  bool at_end(std::string_view close, bool variable) const {
    std::string_view const rest = text_.substr(at_);
    if (rest.starts_with(close)) return true;
    return (rest.starts_with('-') || (!variable && rest.starts_with('+'))) && rest.substr(1).starts_with(close);
  }

  // [+-] close, then the white space that the sign (or trim_blocks) takes with it.
  void skip_end(std::string_view close, bool trim) {
    char const sign = sign_at(at_);
    advance(close.size() + (sign ? 1 : 0));
    line_starting_ = false;
    std::size_t const end = sign == '-' ? skip_space_from(at_) : at_;
    if (sign == '-') {
      advance(end - at_);
    } else if (trim && !sign && at_ < text_.size() && text_[at_] == '\n') {
      advance(1);
    }
    line_starting_ = text_[at_ - 1] == '\n';
  }

  void lex_token() {
    std::size_t const after_space = skip_space_from(at_);
    if (after_space > at_) return advance(after_space - at_);
    char const c = text_[at_];
    if (is_digit(c)) return lex_number();
    if (is_name_start(c)) return lex_name();
    if (c == '\'' || c == '"') return lex_string(c);
    lex_operator();
  }

  void lex_name() {
    std::size_t end = at_;
    while (end < text_.size() && (is_name_start(text_[end]) || is_digit(text_[end]))) ++end;
    push(TokenType::name, text_.substr(at_, end - at_));
    advance(end - at_);
  }

  void lex_string(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) unexpected_char();
    push(TokenType::string, decode_string_literal(text_.substr(at_ + 1, end - at_ - 1), line_, arena_));
    advance(end + 1 - at_);
  }

  void lex_operator() {
    static constexpr std::string_view two[] = {"//", "**", "==", "!=", ">=", "<="};
    static constexpr std::string_view one = "+-/*%~[](){}><=.:|,;";
    std::string_view op = text_.substr(at_, 2);
    if (std::find(std::begin(two), std::end(two), op) == std::end(two)) {
      op = text_.substr(at_, 1);
      if (one.find(op[0]) == std::string_view::npos) unexpected_char();
      balance(op[0]);
    }
    push(TokenType::op, op);
    advance(op.size());
  }

  void balance(char c) {
    if (c == '(') brackets_ += ')';
    if (c == '[') brackets_ += ']';
    if (c == '{') brackets_ += '}';
    if (c != ')' && c != ']' && c != '}') return;
    if (brackets_.empty()) syntax_error("unexpected " + quoted({&c, 1}), line_);
    char const expected = brackets_.back();
    brackets_.pop_back();
    if (expected != c) syntax_error("unexpected " + quoted({&c, 1}) + ", expected " + quoted({&expected, 1}), line_);
  }

  void lex_number() {
    std::size_t const float_end = end_of_float();
    if (float_end != 0 && !(at_ > 0 && text_[at_ - 1] == '.')) {
      return push_number(float_end, Value::floating(read_double(without_underscores(at_, float_end))));
    }
    char const second = at_ + 1 < text_.size() ? static_cast<char>(text_[at_ + 1] | 0x20) : '\0';
    int const base = text_[at_] != '0' ? 10 : second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 10;
    std::size_t const first = base == 10 ? at_ : at_ + 2;
    std::size_t const end = end_of_digits(first, base == 10 && text_[at_] == '0' ? 1 : base);
    if (end == first || (base != 10 && end == first)) {  // "0x" without digits: the 0 stands alone
      return push_number(at_ + 1, Value::integer(0));
    }
    std::string const digits = without_underscores(first, end);
    if (digits.size() > max_int_digits) syntax_error("an integer literal has too many digits", line_);
    push_number(end, *parse_int(digits, false, base, arena_));
  }

  // Digits of the base with single underscores between; base 1 takes zeros only. A prefixed number may begin with one.
  std::size_t end_of_digits(std::size_t at, int base) const {
    auto const fits = [base](char c) {
      if (base == 1) return c == '0';
      if (base == 16) return is_hex_digit(c);
      return c >= '0' && c < '0' + base;
    };
    std::size_t end = at;
    while (true) {
      std::size_t const digit = end < text_.size() && text_[end] == '_' && (end > at || at_ != at) ? end + 1 : end;
      if (digit >= text_.size() || !fits(text_[digit])) return end;
      end = digit + 1;
    }
  }

  // (digits)(.digits)?(e[+-]digits)? with one of the two; 0 if no float stands here.
  std::size_t end_of_float() const {
    std::size_t end = end_of_digits(at_, 10);
    bool is_float = false;
    if (end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
      end = end_of_digits_strict(end + 1);
      is_float = true;
    }
    if (end < text_.size() && (text_[end] | 0x20) == 'e') {
      std::size_t const digits = end + (sign_at(end + 1) ? 2 : 1);
      if (digits < text_.size() && is_digit(text_[digits])) {
        end = end_of_digits_strict(digits);
        is_float = true;
      }
    }
    return is_float ? end : 0;
  }

  std::size_t end_of_digits_strict(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && (is_digit(text_[end]) || (text_[end] == '_' && end + 1 < text_.size() && end > at &&
                                                           is_digit(text_[end + 1])))) {
      ++end;
    }
    return end;
  }

  std::string without_underscores(std::size_t begin, std::size_t end) const {
    std::string digits(text_.substr(begin, end - begin));
    std::erase(digits, '_');
    return digits;
  }

  void push_number(std::size_t end, Value number) {
    tokens_.push_back({TokenType::number, line_, text_.substr(at_, end - at_), number});
    advance(end - at_);
  }

  [[noreturn]] void unexpected_char() const {
    syntax_error("unexpected char " + quoted(text_.substr(at_, width_at(text_, at_))) + " at " + std::to_string(at_),
                 line_);
  }

  std::size_t skip_space_from(std::size_t at) const {
    while (at < text_.size() && is_space(code_point_at(text_, at))) at += width_at(text_, at);
    return std::min(at, text_.size());
  }

  void push(TokenType type, std::string_view text) { tokens_.push_back({type, line_, text, {}}); }
  void push_data(std::string_view data) {
    if (!data.empty()) push(TokenType::data, data);
  }

  void advance(std::size_t bytes) {
    std::string_view const passed = text_.substr(at_, bytes);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    at_ += bytes;
  }

  Arena& arena_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_starting_ = true;
  std::string brackets_;  ///< what closes the open ones
  std::vector<Token> tokens_;
};

}  // namespace

std::string describe(Token const& token) {
  switch (token.type) {
    case TokenType::data:
      return "template data / text";
    case TokenType::variable_begin:
      return "begin of print statement";
    case TokenType::variable_end:
      return "end of print statement";
    case TokenType::block_begin:
      return "begin of statement block";
    case TokenType::block_end:
      return "end of statement block";
    case TokenType::end:
      return "end of template";
    case TokenType::string:
      return "string";
    case TokenType::number:
      return token.number.is(Kind::floating) ? "float" : "integer";
    default:
      return std::string(token.text);
  }
}

std::vector<Token> tokenize(std::string_view source, Arena& arena) {
  for (std::size_t at = 0; at < source.size();) {
    std::size_t const length = utf8_step(source.substr(at)).length;
    if (length == 0) syntax_error("the template is not UTF-8", 0);
    at += length;
  }
  return Lexer(source, arena).run();
}

}  // namespace kvgate::jinja
