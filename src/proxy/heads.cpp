#include "proxy/heads.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"

namespace kvgate::proxy {
namespace {

using http::Field;

void add(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

void add_number(std::string& out, std::string_view name, std::uint64_t value) {
  char digits[20];
  auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  add(out, name, {digits, static_cast<std::size_t>(end - digits)});
}

template <std::size_t N>
bool is_one_of(std::string_view name, std::array<std::string_view, N> const& names) noexcept {
  return std::ranges::any_of(names, [&](std::string_view n) { return n.size() == name.size() && iequals(n, name); });
}

bool named_in_connection(http::Fields const& fields, std::string_view name) noexcept {
  for (auto const& field : fields.all)
    if (field.name.size() == 10 && iequals(field.name, "connection") && http::list_has(field.value, name)) return true;
  return false;
}

bool has_connection(http::Fields const& fields) noexcept { return fields.find("connection").has_value(); }

// What the gate says itself, or what concerns only the client's connection.
constexpr std::array<std::string_view, 15> kNotForEngines = {
    "host",    "connection",        "keep-alive",      "proxy-connection",  "proxy-authorization",
    "te",      "trailer",           "upgrade",         "transfer-encoding", "content-length",
    "expect",  "http2-settings",    "x-request-id",    "x-forwarded-for",   "x-forwarded-proto"};

constexpr std::array<std::string_view, 9> kNotForClients = {
    "connection", "keep-alive",   "proxy-connection", "proxy-authenticate", "te",
    "upgrade",    "x-request-id", "x-kvgate-engine",  "x-kvgate-decision"};

constexpr std::array<std::string_view, 4> kCors = {"access-control-allow-origin", "access-control-allow-credentials",
                                                   "access-control-expose-headers", "access-control-allow-methods"};

bool wants_length(http::RequestHead const& head) noexcept { return head.framing != http::Framing::none; }

void add_forwarded(EngineHeadInput const& in, std::string& out) {
  out.append("X-Forwarded-For: ");
  std::string_view proto = "http";
  if (in.trusted_peer) {
    for (auto const& field : in.head.fields.all) {
      if (iequals(field.name, "x-forwarded-for") && !field.value.empty()) out.append(field.value).append(", ");
      if (iequals(field.name, "x-forwarded-proto") && !field.value.empty()) proto = field.value;
    }
  }
  out.append(in.peer).append("\r\n");
  add(out, "X-Forwarded-Proto", proto);
}

bool goes_to_engine(Field const& field, http::Fields const& all, bool has_nominated, bool own_key) noexcept {
  if (is_one_of(field.name, kNotForEngines)) return false;
  if (own_key && iequals(field.name, "authorization")) return false;
  return !has_nominated || !named_in_connection(all, field.name);
}

bool goes_to_client(Field const& field, ClientHeadInput const& in, bool has_nominated) noexcept {
  if (is_one_of(field.name, kNotForClients)) return false;
  if (!in.cors_origin.empty() && is_one_of(field.name, kCors)) return false;
  bool const bodiless = in.head.status == 204;
  if (bodiless && iequals(field.name, "transfer-encoding")) return false;
  if (in.client_minor == 0 && (iequals(field.name, "transfer-encoding") || iequals(field.name, "trailer"))) return false;
  bool const framing = iequals(field.name, "transfer-encoding") || iequals(field.name, "content-length");
  return !has_nominated || framing || !named_in_connection(in.head.fields, field.name);
}

void add_cors(std::string& out, std::string_view origin) {
  if (origin.empty()) return;
  add(out, "Access-Control-Allow-Origin", origin);
  if (origin != "*") add(out, "Vary", "Origin");
}

}  // namespace

void write_engine_head(EngineHeadInput const& in, EngineSpec const& engine, std::string& out) {
  out.clear();
  out.append(in.head.method).append(" ").append(engine.url.base).append(in.path_and_query).append(" HTTP/1.1\r\n");
  add(out, "Host", engine.url.authority);
  bool const nominated = has_connection(in.head.fields);
  for (auto const& field : in.head.fields.all)
    if (goes_to_engine(field, in.head.fields, nominated, !engine.key.empty())) add(out, field.name, field.value);
  if (!engine.key.empty()) out.append("Authorization: Bearer ").append(engine.key).append("\r\n");
  if (wants_length(in.head)) add_number(out, "Content-Length", in.body_size);
  add(out, "X-Request-Id", in.request_id);
  add_forwarded(in, out);
  out.append("\r\n");
}

void write_client_head(ClientHeadInput const& in, std::string& out) {
  out.clear();
  out.append("HTTP/1.1").append(in.head.status_line.substr(8)).append("\r\n");
  bool const nominated = has_connection(in.head.fields);
  for (auto const& field : in.head.fields.all)
    if (goes_to_client(field, in, nominated)) add(out, field.name, field.value);
  add(out, "X-Request-Id", in.request_id);
  if (!in.engine.empty()) {
    add(out, "X-Kvgate-Engine", in.engine);
    add(out, "X-Kvgate-Decision", in.decision);
  }
  add_cors(out, in.cors_origin);
  if (in.close) {
    add(out, "Connection", "close");
  } else if (in.client_minor == 0) {
    add(out, "Connection", "keep-alive");
  }
  out.append("\r\n");
}

void write_own_head(OwnHead const& in, std::string& out) {
  out.append("HTTP/1.1 ").append(std::to_string(in.status)).append(" ").append(reason_phrase(in.status)).append("\r\n");
  if (!in.content_type.empty()) add(out, "Content-Type", in.content_type);
  if (in.content_length) add_number(out, "Content-Length", *in.content_length);
  if (!in.request_id.empty()) add(out, "X-Request-Id", in.request_id);
  if (!in.allow.empty()) add(out, "Allow", in.allow);
  if (in.retry_after) add_number(out, "Retry-After", static_cast<std::uint64_t>(*in.retry_after));
  if (in.no_retry) add(out, "x-should-retry", "false");
  add_cors(out, in.cors_origin);
  if (in.close) {
    add(out, "Connection", "close");
  } else if (in.say_keep_alive) {
    add(out, "Connection", "keep-alive");
  }
  out.append("\r\n");
}

bool acceptable_request_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::string_view reason_phrase(int status) noexcept {
  switch (status) {
    case 200: return "OK";
    case 204: return "No Content";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 431: return "Request Header Fields Too Large";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Internal Server Error";
  }
}

}  // namespace kvgate::proxy
