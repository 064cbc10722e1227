#include "text/jinja/markup.hpp"

#include "text/jinja/python_text.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {

void append_escaped(std::string& out, std::string_view text) {
  for (char const c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

Value escape(Runtime& runtime, Value const& value) {
  if (value.is(Kind::markup)) return value;
  std::string_view const text = str_of(runtime, value);
  if (text.find_first_of("&<>\"'") == std::string_view::npos) return Value::markup(text);
  runtime.spend_bytes(text.size());
  TextBuilder out(runtime);
  append_escaped(out.raw(), text);
  return out.finish(true);
}

}  // namespace kvgate::jinja
