#include "text/jinja/json_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "text/jinja/code_points.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/number_text.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

constexpr int kMaxDepth = 400;

// What cannot stand in a JSON string as it is; non-ASCII only with ensure_ascii.
constexpr std::array<bool, 256> kEscaped = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 0x20; ++c) table[static_cast<std::size_t>(c)] = true;
  table['"'] = table['\\'] = true;
  return table;
}();

void append_unit(std::string& out, char32_t unit) {
  static constexpr char digits[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[unit >> shift & 0xf];
}

void append_code_point(std::string& out, char32_t c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\b':
      out += "\\b";
      return;
    default:
      break;
  }
  if (c < 0x10000) return append_unit(out, c);
  append_unit(out, 0xd800 + ((c - 0x10000) >> 10));
  append_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff));
}

class JsonWriter {
 public:
  JsonWriter(Runtime& runtime, std::string& out, JsonStyle const& style, std::size_t most)
      : runtime_(runtime), out_(out), style_(style), most_(most) {}

  void write(Value const& value, int depth) {
    runtime_.spend(1);
    if (out_.size() > most_) over_limit("the output becomes too long");
    if (depth > kMaxDepth) raise("RecursionError", "maximum recursion depth exceeded while encoding a JSON object");
    switch (value.kind()) {
      case Kind::none:
        out_ += "null";
        return;
      case Kind::boolean:
        out_ += value.boolean() ? "true" : "false";
        return;
      case Kind::integer:
      case Kind::big_integer:
        return append_int(out_, value);
      case Kind::floating:
        return number(value.floating());
      case Kind::string:
      case Kind::markup:
        return string(value.text());
      case Kind::list:
      case Kind::tuple:
        return items(value.items(), depth);
      case Kind::dict:
        return dict(value.dict(), depth);
      default:
        type_error("Object of type " + std::string(type_name(value)) + " is not JSON serializable");
    }
  }

 private:
  void number(double d) {
    if (std::isnan(d)) {
      out_ += "NaN";
    } else if (std::isinf(d)) {
      out_ += d < 0 ? "-Infinity" : "Infinity";
    } else {
      append_float(out_, d);
    }
  }

  void string(std::string_view text) {
    if (out_.size() + text.size() > most_) over_limit("the output becomes too long");
    out_ += '"';
    std::size_t plain = 0;
    for (std::size_t at = 0; at < text.size();) {
      auto const byte = static_cast<unsigned char>(text[at]);
      if (!kEscaped[byte] && !(style_.ensure_ascii && byte >= 0x7f)) {
        ++at;
        continue;
      }
      out_ += text.substr(plain, at - plain);
      append_code_point(out_, code_point_at(text, at));
      at += width_at(text, at);
      plain = at;
    }
    out_ += text.substr(plain);
    out_ += '"';
  }

  void line(int depth) {
    if (!style_.indent) return;
    if (out_.size() + style_.indent->size() * static_cast<std::size_t>(depth) > most_) {
      over_limit("the output becomes too long");
    }
    out_ += '\n';
    for (int i = 0; i < depth; ++i) out_ += *style_.indent;
  }

  void items(std::span<Value const> values, int depth) {
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += style_.item_separator;
      line(depth + 1);
      write(values[i], depth + 1);
    }
    if (!values.empty()) line(depth);
    out_ += ']';
  }

  void dict(Dict const& value, int depth) {
    if (style_.sort_keys) return sorted_dict(value, depth);
    members(value.entries(), depth);
  }

  void sorted_dict(Dict const& value, int depth) {
    std::vector<Dict::Entry> entries(value.entries().begin(), value.entries().end());
    std::stable_sort(entries.begin(), entries.end(), [this](Dict::Entry const& a, Dict::Entry const& b) {
      return ordered(runtime_, CompareOp::less, a.key, b.key);
    });
    members(entries, depth);
  }

  void members(std::span<Dict::Entry const> entries, int depth) {
    out_ += '{';
    bool first = true;
    for (auto const& [member_key, member] : entries) {
      if (!first) out_ += style_.item_separator;
      first = false;
      line(depth + 1);
      key(member_key);
      out_ += style_.key_separator;
      write(member, depth + 1);
    }
    if (!first) line(depth);
    out_ += '}';
  }

  void key(Value const& value) {
    switch (value.kind()) {
      case Kind::string:
      case Kind::markup:
        return string(value.text());
      case Kind::none:
      case Kind::boolean:
      case Kind::integer:
      case Kind::big_integer:
      case Kind::floating:
        out_ += '"';
        write(value, 0);
        out_ += '"';
        return;
      default:
        type_error("keys must be str, int, float, bool or None, not " + std::string(type_name(value)));
    }
  }

  Runtime& runtime_;
  std::string& out_;
  JsonStyle const& style_;
  std::size_t most_;
};

}  // namespace

void append_json(Runtime& runtime, std::string& out, Value const& value, JsonStyle const& style, std::size_t most) {
  JsonWriter(runtime, out, style, most).write(value, 0);
}

}  // namespace kvgate::jinja
