#include "base/log_line.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/utf8.hpp"

namespace kvgate::log {
namespace {

constexpr std::size_t kMaxValue = 4096;

bool is_control(char32_t c) noexcept {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029;
}

void append_control(std::string& out, char32_t c) {
  switch (c) {
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(c));
  }
}

void append_malformed(std::string& out, char byte, Format format) {
  if (format == Format::json) {
    out += "\xEF\xBF\xBD";
  } else {
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
  }
}

void append_cut(std::string& out, std::string_view value, Format format, bool quotes) {
  append_escaped(out, value.substr(0, kMaxValue), format, quotes);
  if (value.size() > kMaxValue) out += "...";
}

/// Whether a value in text form would be taken for something else without quotes.
bool needs_quotes(std::string_view value) noexcept {
  if (value.empty() || value == "-") return true;
  for (char const c : value) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || c == '"' || c == '\\' || c == '=') return true;
  }
  return false;
}

}  // namespace

void append_escaped(std::string& out, std::string_view value, Format format, bool quotes) {
  while (!value.empty()) {
    auto const [code_point, length] = utf8_step(value);
    if (length == 0) {
      append_malformed(out, value[0], format);
    } else if (is_control(code_point)) {
      append_control(out, code_point);
    } else {
      if (quotes && (code_point == '"' || code_point == '\\')) out += '\\';
      out += value.substr(0, length);
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
}

LineWriter::LineWriter(Format format, std::string_view message) : format_(format) {
  if (format_ == Format::text) {
    append_cut(out_, message, format_, false);
    return;
  }
  out_ += "\"message\":\"";
  append_cut(out_, message, format_, true);
  out_ += '"';
}

LineWriter& LineWriter::add(Field const& field) {
  begin(field.key);
  std::visit([this](auto const& value) { put(value); }, field.value);
  return *this;
}

LineWriter& LineWriter::add_seconds(std::string_view key, double seconds) {
  begin(key);
  fmt::format_to(std::back_inserter(out_), "{:.6f}", seconds);
  return *this;
}

void LineWriter::begin(std::string_view key) {
  out_ += format_ == Format::text ? " " : ",\"";
  append_escaped(out_, key, format_, true);
  out_ += format_ == Format::text ? "=" : "\":";
}

void LineWriter::put(std::monostate) {
  out_ += format_ == Format::text ? "-" : "null";
}

void LineWriter::put(std::string_view value) {
  bool const quoted = format_ == Format::json || needs_quotes(value);
  if (quoted) out_ += '"';
  append_cut(out_, value, format_, quoted);
  if (quoted) out_ += '"';
}

void LineWriter::put(std::int64_t value) {
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void LineWriter::put(double value) {
  if (!std::isfinite(value)) return put(std::monostate{});  // JSON has no NaN
  fmt::format_to(std::back_inserter(out_), "{}", value);
}

void LineWriter::put(bool value) {
  out_ += value ? "true" : "false";
}

void LineWriter::put(Json value) {
  out_ += value.text;
}

}  // namespace kvgate::log
