#include <algorithm>
#include <string>

#include "text/jinja/attribute_path.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/filter_functions.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/markup.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/percent_format.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/python_unicode.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"
#include "text/jinja/text_methods.hpp"

namespace kvgate::jinja {
namespace {

// Markup stays what it is; anything else becomes a str.
Value soft_text(Runtime& runtime, Value const& value) {
  return value.is_string() ? value : Value::string(str_of(runtime, value));
}

bool starts_word(char32_t c) noexcept {
  return is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

void append_percent_encoded(std::string& out, std::string_view text, bool query) {
  static constexpr char digits[] = "0123456789ABCDEF";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '.' || c == '-' || c == '~' || (c == '/' && !query);
    if (plain) {
      out += c;
    } else if (c == ' ' && query) {
      out += '+';
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 0xf];
    }
  }
}

}  // namespace

Value filter_capitalize(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return text_capitalize(runtime, soft_text(runtime, subject), arguments);
}
Value filter_lower(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return text_lower(runtime, soft_text(runtime, subject), arguments);
}
Value filter_upper(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return text_upper(runtime, soft_text(runtime, subject), arguments);
}

Value filter_string(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"soft_str", {}});
  return soft_text(runtime, subject);
}

Value filter_safe(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_mark_safe", {}});
  return Value::markup(str_of(runtime, subject));
}

Value filter_escape(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"escape", {}});
  return escape(runtime, subject);
}
Value filter_forceescape(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_forceescape", {}});
  return escape(runtime, Value::string(str_of(runtime, subject)));
}

Value filter_title(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_title", {}});
  std::string_view const text = str_of(runtime, subject);
  runtime.spend_bytes(8 * text.size());
  TextBuilder out(runtime);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !starts_word(code_point_at(text, end))) end += width_at(text, end);
    std::size_t const first = at < end ? width_at(text, at) : 0;
    out.append(to_upper(text.substr(at, first)));
    out.append(to_lower(text.substr(at + first, end - at - first)));
    at = end;
    while (at < text.size() && starts_word(code_point_at(text, at))) at += width_at(text, at);
    out.append(text.substr(end, at - end));
  }
  return out.finish();
}

Value filter_center(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_center", {"width"}});
  return centered(runtime, soft_text(runtime, subject), bound[0] ? int_argument(*bound[0], "center") : 80, " ");
}

Value filter_trim(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_trim", {"chars"}});
  Value const chars = bound.get(0, Value::none());
  return text_strip(runtime, soft_text(runtime, subject), {{&chars, 1}, {}});
}

Value filter_replace(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_replace", {"old", "new", "count"}, 2});
  std::int64_t const most = bound[2] && !bound[2]->is_none() ? int_argument(*bound[2], "replace") : -1;
  return Value::string(
      replace(runtime, str_of(runtime, subject), str_of(runtime, *bound[0]), str_of(runtime, *bound[1]), most));
}

Value filter_join(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_join", {"d", "attribute"}});
  std::string_view const separator = bound[0] ? str_of(runtime, *bound[0]) : std::string_view();
  AttributePath const path = attribute_path(runtime, bound.get(1, Value::none()));
  TextBuilder out(runtime);
  Iteration iteration(subject);
  bool first = true;
  for (Value item; iteration.next(runtime, item); first = false) {
    if (!first) out.append(separator);
    append_str(runtime, out.raw(), path.of(runtime, item));
  }
  return out.finish();
}

Value filter_format(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  if (!arguments.positional.empty() && !arguments.keywords.empty()) {
    raise("FilterArgumentError", "can't handle positional and keyword arguments at the same time");
  }
  Value const format = soft_text(runtime, subject);
  if (arguments.keywords.empty()) return percent_format(runtime, format, Value::tuple(arguments.positional));
  Dict* values = Dict::create(runtime.arena, arguments.keywords.size());
  for (Keyword const& keyword : arguments.keywords) values->set(runtime.arena, keyword.name, keyword.value);
  return percent_format(runtime, format, Value::dict(values));
}

Value filter_indent(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_indent", {"width", "first", "blank"}});
  Value const width = bound.get(0, Value::integer(4));
  bool const first = bound[1] && truthy(*bound[1]), blank = bound[2] && truthy(*bound[2]);
  if (!subject.is_string()) return add(runtime, subject, Value::string("\n"));  // raises what Python raises
  Value indent = width.is_string() ? width : arithmetic(runtime, ExprKind::multiply, Value::string(" "), width);
  if (subject.is(Kind::markup) && width.is_string() == false) indent = Value::markup(indent.text());
  Value const whole = add(runtime, subject, text_like(subject, "\n"));
  runtime.spend_bytes(4 * whole.text().size());
  TextBuilder out(runtime);
  bool opening = true;
  for (std::string_view const line : split_lines(whole.text(), false)) {
    if (!opening) out.append("\n");
    bool const indented = opening ? first : blank || !line.empty();
    if (indented) out.append(indent.text());
    out.append(line);
    opening = false;
  }
  return out.finish(subject.is(Kind::markup));
}

Value filter_truncate(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_truncate", {"length", "killwords", "end", "leeway"}});
  std::int64_t const most = bound[0] ? int_argument(*bound[0], "truncate") : 255;
  std::string_view const end = bound[2] ? text_argument(*bound[2], "truncate") : "...";
  std::int64_t const leeway = bound[3] && !bound[3]->is_none() ? int_argument(*bound[3], "truncate") : 5;
  auto const end_length = static_cast<std::int64_t>(length(end));
  if (most < end_length) {
    raise("AssertionError", "expected length >= " + std::to_string(end_length) + ", got " + std::to_string(most));
  }
  if (leeway < 0) raise("AssertionError", "expected leeway >= 0, got " + std::to_string(leeway));
  if (!subject.is_string()) unsupported("truncate of something that is no text is not supported");
  std::string_view const text = subject.text();
  runtime.spend_bytes(text.size());
  if (static_cast<std::int64_t>(length(text)) <= most + leeway) return subject;
  std::string_view kept = text.substr(0, byte_offset(text, static_cast<std::size_t>(most - end_length)));
  bool const kill_words = bound[1] && truthy(*bound[1]);
  if (!kill_words) kept = kept.substr(0, kept.rfind(' '));
  return add(runtime, text_like(subject, kept), Value::string(end));
}

Value filter_wordcount(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_wordcount", {}});
  std::string_view const text = str_of(runtime, subject);
  runtime.spend_bytes(8 * text.size());
  std::int64_t words = 0;
  bool inside = false;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) {
    char32_t const c = code_point_at(text, at);
    bool const word = c == '_' || is_alnum(c);
    words += word && !inside ? 1 : 0;
    inside = word;
  }
  return Value::integer(words);
}

Value filter_urlencode(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_urlencode", {}});
  TextBuilder out(runtime);
  if (subject.is_string() || !iterable(subject)) {
    append_percent_encoded(out.raw(), str_of(runtime, subject), false);
    return out.finish();
  }
  if (!subject.is_dict()) unsupported("urlencode of something that is no text or dict is not supported");
  for (auto const& [key, value] : subject.dict().entries()) {
    if (!out.raw().empty()) out.append("&");
    append_percent_encoded(out.raw(), str_of(runtime, key), true);
    out.append("=");
    append_percent_encoded(out.raw(), str_of(runtime, value), true);
  }
  return out.finish();
}

Value filter_xmlattr(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_xmlattr", {"autospace"}});
  if (!subject.is_dict()) unsupported("xmlattr of something that is no dict is not supported");
  TextBuilder out(runtime);
  for (auto const& [key, value] : subject.dict().entries()) {
    if (value.is_none() || value.is_undefined()) continue;
    std::string_view const name = text_argument(key, "xmlattr");
    if (name.find_first_of(" \t\n\r\f\v/>=") != std::string_view::npos) {
      value_error("Invalid character in attribute name: " + repr_of(runtime, key));
    }
    if (!out.raw().empty() || !bound[0] || truthy(*bound[0])) out.append(" ");
    out.append(escape(runtime, key).text());
    out.append("=\"");
    out.append(escape(runtime, value).text());
    out.append("\"");
  }
  return out.finish();
}

}  // namespace kvgate::jinja
