#include "http/head.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "base/ascii.hpp"

namespace kvgate::http {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMaxFields = 256;

constexpr std::array<bool, 256> token_table() {
  std::array<bool, 256> t{};
  for (char c : "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"sv)
    t[static_cast<unsigned char>(c)] = true;
  return t;
}
constexpr auto kToken = token_table();

bool is_token(std::string_view s) noexcept {
  if (s.empty()) return false;
  for (char c : s)
    if (!kToken[static_cast<unsigned char>(c)]) return false;
  return true;
}

/// Field values: no control bytes but tab; bytes from 0x80 on are opaque.
bool is_value(std::string_view s) noexcept {
  for (char c : s)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) return false;
  return true;
}

std::string_view trim(std::string_view s) noexcept {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

/// Takes one line off the front; false when it does not end with CRLF or has a bare CR in it.
bool take_line(std::string_view& bytes, std::string_view& line) noexcept {
  auto const* lf = static_cast<char const*>(std::memchr(bytes.data(), '\n', bytes.size()));
  if (!lf || lf == bytes.data() || lf[-1] != '\r') return false;
  line = bytes.substr(0, static_cast<std::size_t>(lf - bytes.data()) - 1);
  bytes.remove_prefix(line.size() + 2);
  return line.find('\r') == std::string_view::npos;
}

char const* parse_fields(std::string_view bytes, Fields& fields) {
  fields.all.clear();
  std::string_view line;
  for (;;) {
    if (!take_line(bytes, line)) return "a line of the head does not end with CRLF";
    if (line.empty()) return bytes.empty() ? nullptr : "bytes behind the head";
    if (line.front() == ' ' || line.front() == '\t') return "folded header lines are not accepted";
    auto const colon = line.find(':');
    if (colon == std::string_view::npos) return "a header line without a colon";
    Field field{line.substr(0, colon), trim(line.substr(colon + 1))};
    if (!is_token(field.name)) return "a header name with characters that are not allowed";
    if (!is_value(field.value)) return "a header value with control characters";
    if (fields.all.size() == kMaxFields) return kTooManyFields;
    fields.all.push_back(field);
  }
}

/// Digits only: no sign, no blanks, no list; at most 18 of them.
bool parse_length(std::string_view text, std::uint64_t& length) noexcept {
  if (text.empty() || text.size() > 18) return false;
  for (char c : text)
    if (c < '0' || c > '9') return false;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return true;
}

struct FramingFields {
  std::size_t lengths = 0, encodings = 0;
  std::uint64_t length = 0;
  bool bad_length = false, chunked = false;
};

FramingFields framing_fields(Fields const& fields) noexcept {
  FramingFields f;
  for (auto const& field : fields.all) {
    if (field.name.size() == 14 && iequals(field.name, "content-length")) {
      ++f.lengths;
      f.bad_length |= !parse_length(field.value, f.length);
    } else if (field.name.size() == 17 && iequals(field.name, "transfer-encoding")) {
      ++f.encodings;
      f.chunked = iequals(field.value, "chunked");
    }
  }
  return f;
}

/// What both kinds of message refuse.
char const* check_framing(FramingFields const& f, int minor) noexcept {
  if (f.lengths > 1) return "more than one Content-Length";
  if (f.bad_length) return "Content-Length is not a plain decimal number";
  if (f.encodings > 1) return "more than one Transfer-Encoding";
  if (f.encodings && !f.chunked) return "Transfer-Encoding is not exactly \"chunked\"";
  if (f.encodings && f.lengths) return "both Content-Length and Transfer-Encoding";
  if (f.encodings && minor == 0) return "Transfer-Encoding in an HTTP/1.0 message";
  return nullptr;
}

bool keeps_alive(Fields const& fields, int minor) noexcept {
  bool keep = minor == 1;
  for (auto const& field : fields.all) {
    if (field.name.size() != 10 || !iequals(field.name, "connection")) continue;
    if (list_has(field.value, "close")) return false;
    if (list_has(field.value, "keep-alive")) keep = true;
  }
  return keep;
}

/// A long list of nominated fields would make each field expensive to judge.
char const* check_connection(Fields const& fields) noexcept {
  constexpr std::size_t kLongest = 1024;
  std::size_t size = 0;
  for (auto const& field : fields.all)
    if (field.name.size() == 10 && iequals(field.name, "connection")) size += field.value.size();
  return size > kLongest ? "the Connection header is too long" : nullptr;
}

bool is_target(std::string_view s) noexcept {
  if (s.empty()) return false;
  for (char c : s)
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) return false;
  return true;
}

char const* parse_request_line(std::string_view line, RequestHead& head) noexcept {
  auto const first = line.find(' ');
  auto const last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return "the request line is not METHOD TARGET HTTP/1.1";
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  auto const version = line.substr(last + 1);
  if (!is_token(head.method) || head.method.size() > 32) return "the request method is not a token";
  if (!is_target(head.target)) return "the request target has blanks or control characters";
  if (version == "HTTP/1.1") {
    head.minor = 1;
  } else if (version == "HTTP/1.0") {
    head.minor = 0;
  } else {
    return "the HTTP version is neither 1.1 nor 1.0";
  }
  return nullptr;
}

char const* check_hosts(RequestHead const& head) noexcept {
  std::size_t hosts = 0;
  for (auto const& field : head.fields.all) {
    if (field.name.size() != 4 || !iequals(field.name, "host")) continue;
    ++hosts;
    if (field.value.find_first_of(" \t,/@") != std::string_view::npos) return "the Host header is not a host";
  }
  if (hosts > 1) return "more than one Host header";
  if (hosts == 0 && head.minor == 1) return "no Host header";
  return nullptr;
}

char const* parse_status_line(std::string_view line, ResponseHead& head) noexcept {
  if (line.size() < 12 || (!line.starts_with("HTTP/1.1 ") && !line.starts_with("HTTP/1.0 "))) return "not HTTP/1.x";
  head.minor = line[7] - '0';
  head.status = 0;
  for (char c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return "the status is not a number";
    head.status = head.status * 10 + (c - '0');
  }
  if (head.status < 100 || (line.size() > 12 && line[12] != ' ') || !is_value(line)) return "the status line is broken";
  head.status_line = line;
  return nullptr;
}

}  // namespace

bool list_has(std::string_view list, std::string_view token) noexcept {
  for (;;) {
    auto const comma = list.find(',');
    if (iequals(trim(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

std::size_t find_head_end(std::string_view bytes, std::size_t& scanned) noexcept {
  std::size_t at = scanned;
  while (at < bytes.size()) {
    auto const* lf = static_cast<char const*>(std::memchr(bytes.data() + at, '\n', bytes.size() - at));
    if (!lf) break;
    auto const next = static_cast<std::size_t>(lf - bytes.data()) + 1;
    if (next < bytes.size() && bytes[next] == '\n') return next + 1;
    if (next + 1 < bytes.size() && bytes[next] == '\r' && bytes[next + 1] == '\n') return next + 2;
    if (next + 1 >= bytes.size()) {   // the answer is in bytes that have not come yet
      scanned = next - 1;
      return 0;
    }
    at = next;
  }
  scanned = bytes.size();
  return 0;
}

std::optional<std::string_view> Fields::find(std::string_view name) const noexcept {
  for (auto const& field : all)
    if (iequals(field.name, name)) return field.value;
  return std::nullopt;
}

void RequestHead::reset() noexcept {
  method = target = {};
  minor = 1;
  fields.all.clear();
  framing = Framing::none;
  content_length = 0;
  keep_alive = true;
  expect_continue = false;
}

char const* parse_request_head(std::string_view bytes, RequestHead& head) {
  head.reset();
  std::string_view line;
  if (!take_line(bytes, line)) return "the request line does not end with CRLF";
  if (auto const* wrong = parse_request_line(line, head)) return wrong;
  if (auto const* wrong = parse_fields(bytes, head.fields)) return wrong;
  if (auto const* wrong = check_hosts(head)) return wrong;
  if (auto const* wrong = check_connection(head.fields)) return wrong;
  auto const framing = framing_fields(head.fields);
  if (auto const* wrong = check_framing(framing, head.minor)) return wrong;
  head.framing = framing.chunked ? Framing::chunked : framing.lengths ? Framing::sized : Framing::none;
  head.content_length = framing.length;
  head.keep_alive = keeps_alive(head.fields, head.minor);
  auto const expect = head.fields.find("expect");
  head.expect_continue = expect && head.minor == 1 && iequals(*expect, "100-continue");
  return nullptr;
}

char const* parse_response_head(std::string_view bytes, ResponseHead& head) {
  std::string_view line;
  if (!take_line(bytes, line)) return "the status line does not end with CRLF";
  if (auto const* wrong = parse_status_line(line, head)) return wrong;
  if (auto const* wrong = parse_fields(bytes, head.fields)) return wrong;
  if (auto const* wrong = check_connection(head.fields)) return wrong;
  auto const framing = framing_fields(head.fields);
  if (auto const* wrong = check_framing(framing, head.minor)) return wrong;
  head.content_length = framing.length;
  head.keep_alive = keeps_alive(head.fields, head.minor);
  if (head.status < 200 || head.status == 204 || head.status == 304) {
    head.framing = Framing::none;
  } else {
    head.framing = framing.chunked ? Framing::chunked : framing.lengths ? Framing::sized : Framing::until_close;
  }
  return nullptr;
}

}  // namespace kvgate::http
