#include "text/jinja/percent_format.hpp"

#include <algorithm>
#include <cmath>

#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/format_spec.hpp"
#include "text/jinja/markup.hpp"
#include "text/jinja/numbers.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

class PercentFormatter {
 public:
  PercentFormatter(Runtime& runtime, Value const& format, Value const& values)
      : runtime_(runtime), format_(format.text()), markup_(format.is(Kind::markup)), values_(values), out_(runtime) {}

  Value run() {
    while (at_ < format_.size()) {
      std::size_t const percent = std::min(format_.find('%', at_), format_.size());
      out_.append(format_.substr(at_, percent - at_));
      at_ = percent + 1;
      if (percent < format_.size()) directive();
    }
    if (values_.is(Kind::tuple) ? taken_ < values_.items().size() : taken_ == 0 && !has_keys()) {
      type_error("not all arguments converted during string formatting");
    }
    return out_.finish(markup_);
  }

 private:
  // What can be asked by key is not one value that must be used.
  bool has_keys() const {
    return values_.is_dict() || values_.is(Kind::list) || values_.is_undefined() ||
           object_as<RangeObject>(values_, ObjectKind::range);
  }

  void directive() {
    keyed_ = peek() == '(';
    if (keyed_) key_ = read_key();
    FormatSpec spec;
    bool left = false;
    for (char c = peek(); c != '\0' && std::string_view("#0- +").find(c) != std::string_view::npos; c = peek()) {
      ++at_;
      if (c == '#') spec.alternate = true;
      if (c == '0') spec.fill = "0";
      if (c == '-') left = true;
      if (c == '+' || (c == ' ' && spec.sign != '+')) spec.sign = c;
    }
    spec.width = read_count();
    if (spec.width < 0) {
      left = true;
      spec.width = -spec.width;
    }
    if (peek() == '.') {
      ++at_;
      spec.precision = std::max<std::int64_t>(0, read_count());
    }
    while (peek() == 'h' || peek() == 'l' || peek() == 'L') ++at_;
    if (left) spec.fill = " ";
    spec.align = left ? '<' : '>';
    spec.type = peek();
    if (spec.type == '\0') value_error("incomplete format");
    ++at_;
    if (spec.type == '%') return out_.append("%");
    convert(spec);
  }

  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  std::string_view read_key() {
    std::size_t const begin = ++at_;
    for (int open = 1; open > 0; ++at_) {
      if (at_ >= format_.size()) value_error("incomplete format key");
      open += format_[at_] == '(' ? 1 : format_[at_] == ')' ? -1 : 0;
    }
    if (!values_.is_dict()) type_error("format requires a mapping");
    return format_.substr(begin, at_ - 1 - begin);
  }

  std::int64_t read_count() {
    if (peek() == '*') {
      ++at_;
      Value const count = take();
      if (!count.is_int()) type_error("* wants int");
      return count.int64();
    }
    std::int64_t count = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      count = count * 10 + (peek() - '0');
      if (count > (std::int64_t{1} << 31)) value_error("width too big");
    }
    return count;
  }

  Value take() {
    if (keyed_) {
      Value const* found = values_.dict().find(key_);
      if (!found) raise("KeyError", quoted(key_));
      ++taken_;
      return *found;
    }
    if (!values_.is(Kind::tuple)) {
      if (taken_++ > 0) type_error("not enough arguments for format string");
      return values_;
    }
    if (taken_ == values_.items().size()) type_error("not enough arguments for format string");
    return values_.items()[taken_++];
  }

  void convert(FormatSpec spec) {
    switch (spec.type) {
      case 's':
      case 'r':
      case 'a':
        return text(spec, take());
      case 'c':
        return character(spec, take());
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o':
        return integer(spec, take());
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return floating(spec, take());
      default:
        value_error("unsupported format character " + quoted({&spec.type, 1}) + " at index " + std::to_string(at_ - 1));
    }
  }

  void text(FormatSpec& spec, Value const& value) {
    if (spec.type == 'a') unsupported("%a is not supported");
    Value shown = spec.type == 's' ? Value::string(str_of(runtime_, value)) : runtime_.text(repr_of(runtime_, value));
    if (markup_) shown = escape(runtime_, spec.type == 's' ? value : shown);
    std::string_view body = shown.text();
    if (spec.precision >= 0) body = body.substr(0, byte_offset(body, static_cast<std::size_t>(spec.precision)));
    spec.fill = " ";
    out_.append(pad_number(runtime_, spec, "", std::string(body)));
  }

  void character(FormatSpec& spec, Value const& value) {
    std::string body;
    if (value.is_string() && length(value.text()) == 1) {
      body = value.text();
    } else if (value.is_int() && value.int64() >= 0 && value.int64() <= 0x10ffff &&
               (value.int64() < 0xd800 || value.int64() > 0xdfff)) {
      append_utf8(body, static_cast<char32_t>(value.int64()));
    } else {
      type_error("%c requires int or char");
    }
    spec.fill = " ";
    out_.append(pad_number(runtime_, spec, "", body));
  }

  void integer(FormatSpec& spec, Value const& value) {
    bool const decimal = spec.type == 'd' || spec.type == 'i' || spec.type == 'u';
    Value number = value;
    if (decimal && value.is(Kind::floating)) {
      if (!std::isfinite(value.floating())) raise("OverflowError", "cannot convert float to integer");
      number = int_from_double(value.floating(), runtime_.arena);
    }
    if (!number.is_number() || number.is(Kind::floating)) wants_number(spec.type, value);
    std::string digits;
    decimal ? append_int(digits, number.is(Kind::boolean) ? Value::integer(number.int64()) : number)
            : void(digits = to_base(number, spec.type == 'o' ? 8 : 16));
    if (spec.type == 'X')
      for (char& c : digits) c = c >= 'a' ? static_cast<char>(c - 32) : c;
    bool const negative = digits.front() == '-';
    if (negative) digits.erase(0, 1);
    if (spec.precision > static_cast<std::int64_t>(digits.size())) {
      runtime_.check_size(static_cast<std::size_t>(spec.precision));
      runtime_.spend_bytes(static_cast<std::size_t>(spec.precision));
      digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
    }
    std::string sign = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
    if (spec.alternate && !decimal) sign.append("0").append(1, spec.type);
    finish_number(spec, sign, std::move(digits));
  }

  void floating(FormatSpec& spec, Value const& value) {
    if (value.is_undefined()) raise_undefined(value.why_undefined());
    if (!value.is_number()) type_error("must be real number, not " + std::string(type_name(value)));
    double const number = as_double(value);
    bool const negative = std::signbit(number) && !std::isnan(number);
    std::string const sign = negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
    std::int64_t const precision = spec.precision < 0 ? 6 : spec.precision;
    finish_number(spec, sign, float_digits(runtime_, std::fabs(number), spec.type, precision, spec.alternate));
  }

  // Zeros go between sign and digits.
  void finish_number(FormatSpec& spec, std::string_view sign, std::string digits) {
    if (spec.fill == "0") spec.align = '=';
    out_.append(pad_number(runtime_, spec, sign, std::move(digits)));
  }

  [[noreturn]] static void wants_number(char type, Value const& value) {
    if (value.is_undefined()) raise_undefined(value.why_undefined());
    bool const decimal = type == 'd' || type == 'i' || type == 'u';
    type_error("%" + std::string(1, type) + " format: " + (decimal ? "a real number" : "an integer") +
               " is required, not " + std::string(type_name(value)));
  }

  Runtime& runtime_;
  std::string_view format_;
  bool markup_;
  Value values_;
  TextBuilder out_;
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
  bool keyed_ = false;
  std::string_view key_;
};

}  // namespace

Value percent_format(Runtime& runtime, Value const& format, Value const& values) {
  runtime.spend_bytes(format.text().size());
  return PercentFormatter(runtime, format, values).run();
}

}  // namespace kvgate::jinja
