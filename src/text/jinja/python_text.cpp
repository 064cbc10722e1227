#include "text/jinja/python_text.hpp"

#include <charconv>

#include "text/jinja/ast.hpp"
#include "text/jinja/big_int.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/number_text.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/python_unicode.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

constexpr int kMaxDepth = 200;

void append_hex(std::string& out, char32_t c) {
  static constexpr char digits[] = "0123456789abcdef";
  int const width = c < 0x100 ? 2 : c < 0x10000 ? 4 : 8;
  out += width == 2 ? "\\x" : width == 4 ? "\\u" : "\\U";
  for (int shift = (width - 1) * 4; shift >= 0; shift -= 4) out += digits[c >> shift & 0xf];
}

/// repr() of containers; what is nested in them is always a repr.
class ReprWriter {
 public:
  ReprWriter(Runtime& runtime, std::string& out) : runtime_(runtime), out_(out) {}

  void write(Value const& value, int depth) {
    runtime_.spend(1);
    runtime_.check_size(out_.size());
    if (depth > kMaxDepth) raise("RecursionError", "maximum recursion depth exceeded");
    switch (value.kind()) {
      case Kind::undefined:
        out_ += "Undefined";
        return;
      case Kind::none:
        out_ += "None";
        return;
      case Kind::boolean:
        out_ += value.boolean() ? "True" : "False";
        return;
      case Kind::integer:
      case Kind::big_integer:
        return append_int(out_, value);
      case Kind::floating:
        return append_float(out_, value.floating());
      case Kind::string:
        return append_quoted(out_, value.text());
      case Kind::markup:
        out_ += "Markup(";
        append_quoted(out_, value.text());
        out_ += ')';
        return;
      case Kind::list:
        return items(value.items(), "[", "]", depth);
      case Kind::tuple:
        return items(value.items(), "(", value.items().size() == 1 ? ",)" : ")", depth);
      case Kind::dict:
        return dict(value.dict(), depth);
      case Kind::object:
        return object(value, depth);
    }
  }

 private:
  void items(std::span<Value const> values, std::string_view open, std::string_view close, int depth) {
    out_ += open;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ", ";
      write(values[i], depth + 1);
    }
    out_ += close;
  }

  void dict(Dict const& value, int depth) {
    char const* separator = "{";
    for (auto const& entry : value.entries()) {
      out_ += separator;
      separator = ", ";
      write(entry.key, depth + 1);
      out_ += ": ";
      write(entry.value, depth + 1);
    }
    out_ += value.size() == 0 ? "{}" : "}";
  }

  void object(Value const& value, int depth) {
    Object const& object = value.object();
    switch (object.kind) {
      case ObjectKind::macro: {
        std::string_view const name = static_cast<MacroObject const&>(object).macro->name;
        out_ += "<Macro ";
        name.empty() ? void(out_ += "anonymous") : append_quoted(out_, name);
        out_ += '>';
        return;
      }
      case ObjectKind::name_space:
        out_ += "<Namespace ";
        dict(*static_cast<NamespaceObject const&>(object).attributes, depth);
        out_ += '>';
        return;
      case ObjectKind::loop:
        return loop(static_cast<LoopObject&>(value.object()));
      case ObjectKind::range:
        return range(static_cast<RangeObject const&>(object));
      case ObjectKind::dict_keys:
      case ObjectKind::dict_values:
      case ObjectKind::dict_items:
        return view(static_cast<DictViewObject const&>(object), depth);
      default:
        unsupported("the text of a " + std::string(type_name(value)) + " object is not supported: it is an address");
    }
  }

  void loop(LoopObject& object) {
    std::int64_t const length = object.count(runtime_);
    out_ += "<LoopContext " + std::to_string(object.index0 + 1) + "/" + std::to_string(length) + ">";
  }

  void range(RangeObject const& object) {
    out_ += "range(" + std::to_string(object.start) + ", " + std::to_string(object.stop);
    if (object.step != 1) out_ += ", " + std::to_string(object.step);
    out_ += ')';
  }

  void view(DictViewObject const& object, int depth) {
    out_ += type_name(Value::object(const_cast<DictViewObject*>(&object)));
    char const* separator = "([";
    for (auto const& [key, value] : object.dict->entries()) {
      out_ += separator;
      separator = ", ";
      if (object.kind == ObjectKind::dict_items) out_ += '(';
      if (object.kind != ObjectKind::dict_values) write(key, depth + 1);
      if (object.kind == ObjectKind::dict_items) out_ += ", ";
      if (object.kind != ObjectKind::dict_keys) write(value, depth + 1);
      if (object.kind == ObjectKind::dict_items) out_ += ')';
    }
    out_ += object.dict->size() == 0 ? "([])" : "])";
  }

  Runtime& runtime_;
  std::string& out_;
};

}  // namespace

void append_int(std::string& out, Value const& value) {
  if (value.is(Kind::big_integer)) {
    std::string const digits = to_decimal(value.big());
    if (digits.size() > max_int_digits + (digits.front() == '-' ? 1 : 0)) {
      value_error(
          "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to "
          "increase the limit");
    }
    out += digits;
    return;
  }
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value.int64()).ptr);
}

void append_quoted(std::string& out, std::string_view text) {
  bool const doubled = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  char const quote = doubled ? '"' : '\'';
  out += quote;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) {
    char32_t const c = code_point_at(text, at);
    if (c == static_cast<unsigned char>(quote) || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t";
    } else if (is_printable(c)) {
      out += text.substr(at, width_at(text, at));
    } else {
      append_hex(out, c);
    }
  }
  out += quote;
}

void append_str(Runtime& runtime, std::string& out, Value const& value) {
  if (value.is_string()) {
    runtime.check_size(out.size() + value.text().size());
    out += value.text();
  } else if (!value.is_undefined()) {
    append_repr(runtime, out, value);
  }
}

void append_repr(Runtime& runtime, std::string& out, Value const& value) {
  ReprWriter(runtime, out).write(value, 0);
}

std::string_view str_of(Runtime& runtime, Value const& value) {
  if (value.is_string()) return value.text();
  std::string out;
  append_str(runtime, out, value);
  return runtime.arena.copy(out);
}

std::string repr_of(Runtime& runtime, Value const& value) {
  std::string out;
  append_repr(runtime, out, value);
  return out;
}

}  // namespace kvgate::jinja
