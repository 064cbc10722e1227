#include "text/jinja/brace_format.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "text/jinja/attributes.hpp"
#include "text/jinja/format_spec.hpp"
#include "text/jinja/markup.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

bool all_digits(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::size_t index_of(std::string_view digits) {
  std::size_t index = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), index).ec != std::errc()) {
    value_error("Too many decimal digits in format string");
  }
  return index;
}

class BraceFormatter {
 public:
  BraceFormatter(Runtime& runtime, bool markup, Arguments const& arguments)
      : runtime_(runtime), markup_(markup), arguments_(arguments) {}

  /// Specifications may hold fields themselves, one level deep.
  std::string format(std::string_view text, int levels) {
    if (levels < 0) value_error("Max string recursion exceeded");
    runtime_.spend_bytes(text.size());
    TextBuilder out(runtime_);
    for (std::size_t at = 0; at < text.size();) {
      std::size_t const brace = std::min(text.find_first_of("{}", at), text.size());
      out.append(text.substr(at, brace - at));
      if (brace == text.size()) break;
      if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {
        out.append(text.substr(brace, 1));
        at = brace + 2;
        continue;
      }
      if (text[brace] == '}') value_error("Single '}' encountered in format string");
      std::size_t const end = end_of_field(text, brace + 1);
      out.append(field(text.substr(brace + 1, end - brace - 1), levels));
      at = end + 1;
    }
    return std::move(out.raw());
  }

 private:
  static std::size_t end_of_field(std::string_view text, std::size_t at) {
    if (at == text.size()) value_error("Single '{' encountered in format string");
    int open = 1;
    for (; at < text.size(); ++at) {
      open += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
      if (open == 0) return at;
    }
    value_error("expected '}' before end of string");
  }

  std::string field(std::string_view text, int levels) {
    std::size_t name_end = 0;
    for (bool bracket = false; name_end < text.size(); ++name_end) {
      char const c = text[name_end];
      if (c == '[') bracket = true;
      if (c == ']') bracket = false;
      if (!bracket && (c == '!' || c == ':')) break;
    }
    Value value = lookup(text.substr(0, name_end));
    std::string_view rest = text.substr(name_end);
    if (rest.starts_with('!')) {
      if (rest.size() < 2 || (rest.size() > 2 && rest[2] != ':'))
        value_error("expected ':' after conversion specifier");
      value = convert(value, rest[1]);
      rest.remove_prefix(2);
    }
    std::string const spec = rest.empty() ? std::string() : format(rest.substr(1), levels - 1);
    return finish(value, spec);
  }

  Value convert(Value const& value, char conversion) {
    if (conversion == 's') return Value::string(str_of(runtime_, value));
    if (conversion == 'r') return runtime_.text(repr_of(runtime_, value));
    if (conversion == 'a') unsupported("!a in a format string is not supported");
    value_error("Unknown conversion specifier " + std::string(1, conversion));
  }

  std::string finish(Value const& value, std::string const& spec) {
    if (!markup_) return format_value(runtime_, value, spec);
    if (value.is(Kind::markup)) {
      if (!spec.empty()) value_error("Unsupported format specification for Markup.");
      return std::string(value.text());
    }
    std::string escaped;
    append_escaped(escaped, format_value(runtime_, value, spec));
    return escaped;
  }

  // first(.name|[key])*
  Value lookup(std::string_view name) {
    std::size_t at = std::min(name.find_first_of(".["), name.size());
    Value value = argument(name.substr(0, at));
    while (at < name.size()) {
      if (name[at] == '.') {
        std::size_t const end = std::min(name.find_first_of(".[", at + 1), name.size());
        if (end == at + 1) value_error("Empty attribute in format string");
        value = get_attribute(runtime_, value, name.substr(at + 1, end - at - 1));
        at = end;
      } else if (name[at] == '[') {
        std::size_t const end = name.find(']', at);
        if (end == std::string_view::npos) value_error("Missing ']' in format string");
        std::string_view const key = name.substr(at + 1, end - at - 1);
        if (key.empty()) value_error("Empty attribute in format string");
        value =
            get_item(runtime_, value,
                     all_digits(key) ? Value::integer(static_cast<std::int64_t>(index_of(key))) : Value::string(key));
        at = end + 1;
      } else {
        value_error("Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return value;
  }

  Value argument(std::string_view name) {
    bool const automatic = name.empty();
    if (automatic || all_digits(name)) {
      if (numbering_ && *numbering_ != automatic) {
        value_error("cannot switch from manual field specification to automatic field numbering");
      }
      numbering_ = automatic;
      std::size_t const index = automatic ? next_++ : index_of(name);
      if (index >= arguments_.positional.size()) {
        raise("IndexError", "Replacement index " + std::to_string(index) + " out of range for positional args tuple");
      }
      return arguments_.positional[index];
    }
    for (Keyword const& keyword : arguments_.keywords) {
      if (keyword.name == name) return keyword.value;
    }
    raise("KeyError", quoted(name));
  }

  Runtime& runtime_;
  bool markup_;
  Arguments const& arguments_;
  std::optional<bool> numbering_;  ///< whether fields are numbered automatically, once known
  std::size_t next_ = 0;
};

}  // namespace

Value brace_format(Runtime& runtime, Value const& format, Arguments const& arguments) {
  bool const markup = format.is(Kind::markup);
  std::string const text = BraceFormatter(runtime, markup, arguments).format(format.text(), 1);
  std::string_view const kept = runtime.arena.copy(text);
  return markup ? Value::markup(kept) : Value::string(kept);
}

}  // namespace kvgate::jinja
