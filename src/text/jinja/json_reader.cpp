#include "text/jinja/json_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/number_text.hpp"

namespace kvgate::jinja {
namespace {

constexpr int kMaxDepth = 200;

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

/// Recursive descent. A failed step returns nullopt (or false) with error_ set; nothing reads on after that.
class Reader {
 public:
  Reader(std::string_view text, Arena& arena) : text_(text), arena_(arena) {}

  Result<Value> document() {
    std::optional<Value> const value = read_value(0);
    skip_space();
    if (value && at_ != text_.size()) fail("trailing characters");
    if (!error_.empty()) return Error(ErrorKind::bad_request, error_ + " at byte " + std::to_string(at_));
    return *value;
  }

 private:
  std::optional<Value> read_value(int depth) {
    skip_space();
    if (depth > kMaxDepth) return fail("JSON is nested too deep");
    if (at_ == text_.size()) return fail("JSON ends early");
    switch (text_[at_]) {
      case '{':
        return read_object(depth);
      case '[':
        return read_array(depth);
      case '"':
        return read_string();
      case 't':
        return read_word("true", Value::boolean(true));
      case 'f':
        return read_word("false", Value::boolean(false));
      case 'n':
        return read_word("null", Value::none());
      case 'N':
        return read_word("NaN", Value::floating(std::numeric_limits<double>::quiet_NaN()));
      case 'I':
        return read_word("Infinity", Value::floating(std::numeric_limits<double>::infinity()));
      default:
        return read_number();
    }
  }

  std::optional<Value> read_object(int depth) {
    std::size_t const first = pending_.size();
    ++at_;
    if (!skip_if('}')) {
      do {
        skip_space();
        if (at_ == text_.size() || text_[at_] != '"') return fail("a key is expected");
        std::optional<Value> const key = read_string();
        if (!key) return std::nullopt;
        if (!skip_if(':')) return fail("':' is expected");
        std::optional<Value> const value = read_value(depth + 1);
        if (!value) return std::nullopt;
        pending_.push_back(*key);
        pending_.push_back(*value);
      } while (skip_if(','));
      if (!skip_if('}')) return fail("',' or '}' is expected");
    }
    Dict* dict = Dict::create(arena_, (pending_.size() - first) / 2);
    for (std::size_t i = first; i < pending_.size(); i += 2) dict->set(arena_, pending_[i], pending_[i + 1]);
    pending_.resize(first);
    return Value::dict(dict);
  }

  std::optional<Value> read_array(int depth) {
    std::size_t const first = pending_.size();
    ++at_;
    if (!skip_if(']')) {
      do {
        std::optional<Value> const value = read_value(depth + 1);
        if (!value) return std::nullopt;
        pending_.push_back(*value);
      } while (skip_if(','));
      if (!skip_if(']')) return fail("',' or ']' is expected");
    }
    std::size_t const count = pending_.size() - first;
    Value* items = arena_.allocate_array<Value>(count);
    std::copy(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end(), items);
    pending_.resize(first);
    return Value::list({items, count});
  }

  std::optional<Value> read_string() {
    std::size_t const begin = ++at_;
    if (!skip_plain()) return std::nullopt;
    if (text_[at_] == '"') return Value::string(text_.substr(begin, at_++ - begin));
    buffer_.assign(text_, begin, at_ - begin);
    while (text_[at_] != '"') {
      if (!read_escape()) return std::nullopt;
      std::size_t const plain = at_;
      if (!skip_plain()) return std::nullopt;
      buffer_.append(text_, plain, at_ - plain);
    }
    ++at_;
    return Value::string(arena_.copy(buffer_));
  }

  // Up to the next quote or backslash.
  bool skip_plain() {
    while (at_ < text_.size()) {
      auto const byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '"' || byte == '\\') return true;
      if (byte < 0x20) return refuse("a control character in a string");
      std::size_t const length = byte < 0x80 ? 1 : utf8_step(text_.substr(at_)).length;
      if (length == 0) return refuse("text that is not UTF-8");
      at_ += length;
    }
    return refuse("a string does not end");
  }

  bool read_escape() {
    if (++at_ == text_.size()) return refuse("a string does not end");
    char const c = text_[at_++];
    switch (c) {
      case 'b':
        buffer_ += '\b';
        return true;
      case 'f':
        buffer_ += '\f';
        return true;
      case 'n':
        buffer_ += '\n';
        return true;
      case 'r':
        buffer_ += '\r';
        return true;
      case 't':
        buffer_ += '\t';
        return true;
      case '"':
      case '\\':
      case '/':
        buffer_ += c;
        return true;
      case 'u':
        return read_unicode();
      default:
        return refuse("an unknown escape");
    }
  }

  bool read_unicode() {
    std::optional<unsigned> const unit = read_hex4();
    if (!unit) return refuse("a broken \\u escape");
    char32_t code_point = *unit;
    if (*unit >= 0xdc00 && *unit <= 0xdfff) return refuse("a lone surrogate");
    if (*unit >= 0xd800 && *unit <= 0xdbff) {
      if (text_.substr(at_, 2) != "\\u") return refuse("a lone surrogate");
      at_ += 2;
      std::optional<unsigned> const low = read_hex4();
      if (!low || *low < 0xdc00 || *low > 0xdfff) return refuse("a lone surrogate");
      code_point = 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00);
    }
    append_utf8(buffer_, code_point);
    return true;
  }

  std::optional<unsigned> read_hex4() {
    unsigned unit = 0;
    if (text_.size() - at_ < 4) return std::nullopt;
    char const* const begin = text_.data() + at_;
    auto const [end, failed] = std::from_chars(begin, begin + 4, unit, 16);
    if (failed != std::errc() || end != begin + 4) return std::nullopt;
    at_ += 4;
    return unit;
  }

  std::optional<Value> read_word(std::string_view word, Value value) {
    if (text_.substr(at_, word.size()) != word) return fail("an unknown word");
    at_ += word.size();
    return value;
  }

  std::optional<Value> read_number() {
    std::size_t const begin = at_;
    bool const negative = text_[at_] == '-';
    if (negative) ++at_;
    if (negative && at_ < text_.size() && text_[at_] == 'I') {
      return read_word("Infinity", Value::floating(-std::numeric_limits<double>::infinity()));
    }
    std::size_t const first_digit = at_;
    if (!skip_digits() || (text_[first_digit] == '0' && at_ - first_digit > 1)) return fail("a value is expected");
    std::string_view const digits = text_.substr(first_digit, at_ - first_digit);
    bool const fraction = at_ < text_.size() && text_[at_] == '.';
    if (fraction) {
      ++at_;
      if (!skip_digits()) return fail("a broken number");
    }
    bool const exponent = at_ < text_.size() && (text_[at_] | 0x20) == 'e';
    if (exponent) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!skip_digits()) return fail("a broken number");
    }
    if (fraction || exponent) return Value::floating(read_double(text_.substr(begin, at_ - begin)));
    return read_int(digits, negative);
  }

  bool skip_digits() {
    std::size_t const begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ > begin;
  }

  std::optional<Value> read_int(std::string_view digits, bool negative) {
    std::int64_t small = 0;
    if (digits.size() < 19) {
      std::from_chars(digits.data(), digits.data() + digits.size(), small);
      return Value::integer(negative ? -small : small);
    }
    if (digits.size() > max_int_digits) return fail("an integer has too many digits");
    return parse_int(digits, negative, 10, arena_);
  }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool skip_if(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool refuse(std::string_view what) {
    if (error_.empty()) error_ = what;
    return false;
  }
  std::nullopt_t fail(std::string_view what) {
    refuse(what);
    return std::nullopt;
  }

  std::string_view text_;
  Arena& arena_;
  std::size_t at_ = 0;
  std::string error_;
  std::string buffer_;
  std::vector<Value> pending_;  ///< items of the arrays and objects that are being read
};

}  // namespace

Result<Value> parse_json(std::string_view text, Arena& arena) {
  try {
    return Reader(text, arena).document();
  } catch (ArenaFull const&) {
    return Error(ErrorKind::bad_request, "JSON takes too much memory");
  }
}

}  // namespace kvgate::jinja
