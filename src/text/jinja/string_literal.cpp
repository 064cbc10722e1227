#include "text/jinja/string_literal.hpp"

#include <charconv>
#include <string>

#include "text/jinja/code_points.hpp"
#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {
namespace {

class Decoder {
 public:
  Decoder(std::string_view body, int line) : body_(body), line_(line) {}

  std::string decode() {
    while (at_ < body_.size()) {
      char const c = body_[at_++];
      if (c == '\\' && at_ < body_.size()) {
        escape(body_[at_++]);
      } else {
        out_ += c;
      }
    }
    return std::move(out_);
  }

 private:
  void escape(char c) {
    switch (c) {
      case '\n':
        return;
      case '\\':
      case '\'':
      case '"':
        out_ += c;
        return;
      case 'a':
        out_ += '\a';
        return;
      case 'b':
        out_ += '\b';
        return;
      case 'f':
        out_ += '\f';
        return;
      case 'n':
        out_ += '\n';
        return;
      case 'r':
        out_ += '\r';
        return;
      case 't':
        out_ += '\t';
        return;
      case 'v':
        out_ += '\v';
        return;
      case 'x':
        return hex(2);
      case 'u':
        return hex(4);
      case 'U':
        return hex(8);
      case 'N':
        unsupported("\\N{...} in a string literal is not supported", line_);
      default:
        return octal_or_unknown(c);
    }
  }

  void hex(std::size_t digits) {
    unsigned long value = 0;
    std::string_view const text = body_.substr(at_, digits);
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (text.size() < digits || error != std::errc() || end != text.data() + digits || value > 0x10ffff) {
      syntax_error("broken escape in a string literal", line_);
    }
    at_ += digits;
    put(static_cast<char32_t>(value));
  }

  void octal_or_unknown(char c) {
    if (c < '0' || c > '7') {
      out_ += '\\';
      out_ += c;
      return;
    }
    char32_t value = static_cast<char32_t>(c - '0');
    for (int more = 0; more < 2 && at_ < body_.size() && body_[at_] >= '0' && body_[at_] <= '7'; ++more) {
      value = value * 8 + static_cast<char32_t>(body_[at_++] - '0');
    }
    put(value);
  }

  void put(char32_t code_point) {
    if (code_point >= 0xd800 && code_point <= 0xdfff) {
      unsupported("a lone surrogate in a string literal is not supported", line_);
    }
    append_utf8(out_, code_point);
  }

  std::string_view body_;
  int line_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string_view decode_string_literal(std::string_view body, int line, Arena& arena) {
  if (body.find('\\') == std::string_view::npos) return body;
  return arena.copy(Decoder(body, line).decode());
}

}  // namespace kvgate::jinja
