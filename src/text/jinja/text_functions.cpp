#include "text/jinja/text_functions.hpp"

#include <algorithm>

#include "text/jinja/code_points.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

bool is_line_end(char32_t c) noexcept {
  return (c >= 0x0a && c <= 0x0d) || (c >= 0x1c && c <= 0x1e) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

// `to` before each character and at the end, `most` times at most.
std::string_view spread(Runtime& runtime, std::string_view text, std::string_view to, std::int64_t most) {
  TextBuilder out(runtime);
  std::size_t at = 0;
  for (; most != 0; --most) {
    out.append(to);
    if (at == text.size()) break;
    out.append(text.substr(at, width_at(text, at)));
    at += width_at(text, at);
  }
  out.append(text.substr(at));
  return out.finish().text();
}

}  // namespace

std::string_view text_argument(Value const& value, std::string_view function) {
  if (value.is_string()) return value.text();
  type_error(std::string(function) + "() argument must be str, not " + std::string(type_name(value)));
}

std::int64_t int_argument(Value const& value, std::string_view function) {
  if (value.is_int()) return value.int64();
  if (value.is(Kind::big_integer)) raise("OverflowError", "Python int too large to convert to C ssize_t");
  type_error(std::string(function) + "() argument must be int, not " + std::string(type_name(value)));
}

std::vector<std::string_view> split_space(std::string_view text, std::int64_t most) {
  std::vector<std::string_view> parts;
  for (text = strip_left(text); !text.empty(); text = strip_left(text)) {
    if (most >= 0 && static_cast<std::int64_t>(parts.size()) == most) {
      parts.push_back(strip_right(text));
      break;
    }
    std::size_t end = 0;
    while (end < text.size() && !is_space(code_point_at(text, end))) end += width_at(text, end);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return parts;
}

std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, std::int64_t most) {
  std::vector<std::string_view> parts;
  while (most < 0 || static_cast<std::int64_t>(parts.size()) < most) {
    std::size_t const at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends) {
  std::vector<std::string_view> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const width = width_at(text, at);
    if (!is_line_end(code_point_at(text, at))) {
      at += width;
      continue;
    }
    std::size_t const end = at;
    at += text.substr(at, 2) == "\r\n" ? 2 : width;
    lines.push_back(text.substr(begin, (keep_ends ? at : end) - begin));
    begin = at;
  }
  if (begin < text.size()) lines.push_back(text.substr(begin));
  return lines;
}

std::string_view replace(Runtime& runtime, std::string_view text, std::string_view from, std::string_view to,
                         std::int64_t most) {
  runtime.spend_bytes(text.size());
  if (from.empty()) return spread(runtime, text, to, most);
  std::size_t found = most == 0 ? std::string_view::npos : text.find(from);
  if (found == std::string_view::npos) return text;
  TextBuilder out(runtime);
  std::size_t at = 0;
  for (; found != std::string_view::npos && most != 0; --most, found = text.find(from, at)) {
    out.append(text.substr(at, found - at));
    out.append(to);
    at = found + from.size();
  }
  out.append(text.substr(at));
  return out.finish().text();
}

Value centered(Runtime& runtime, Value const& text, std::int64_t width, std::string_view fill) {
  auto const missing = width - static_cast<std::int64_t>(length(text.text()));
  if (missing <= 0) return text;
  std::int64_t const left = missing / 2 + (missing & width & 1);
  runtime.spend(static_cast<std::uint64_t>(missing) / 64);
  TextBuilder out(runtime);
  out.repeat(fill, left);
  out.append(text.text());
  out.repeat(fill, missing - left);
  return out.finish(text.is(Kind::markup));
}

Value list_of_texts(Runtime& runtime, Value const& like, std::vector<std::string_view> const& texts) {
  runtime.spend(texts.size());
  runtime.check_size(texts.size() * sizeof(Value));
  Value* items = runtime.arena.allocate_array<Value>(texts.size());
  std::transform(texts.begin(), texts.end(), items, [&like](std::string_view text) { return text_like(like, text); });
  return Value::list({items, texts.size()});
}

}  // namespace kvgate::jinja
