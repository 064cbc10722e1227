#include "config/checks.hpp"

#include <span>
#include <stdexcept>
#include <string>

#include <algorithm>

#include "config/units.hpp"
#include "config/url.hpp"

#include "openai/api.hpp"

namespace kvgate::config {
namespace {

constexpr std::string_view alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool is_graph(char c) {
  return c > 0x20 && c < 0x7f;
}

bool all_graph(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_graph);
}

/// Every character is a letter, a digit or one of `others`.
bool all_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return alnum.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
  });
}

bool is_segment(std::string_view text) {
  if (text == "{}") return true;
  return !text.empty() && text != "." && text != ".." && all_of(text, "-._~!$&'()*+,;=:@");
}

}  // namespace

bool any_text(std::string_view) {
  return true;
}

bool not_empty(std::string_view text) {
  return !text.empty();
}

bool listen_host(std::string_view text) {
  return is_host(text);
}

bool bearer_key(std::string_view text) {
  return all_graph(text);
}

bool header_name(std::string_view text) {
  return !text.empty() && all_of(text, "!#$%&'*+-.^_`|~");
}

bool optional_header(std::string_view text) {
  return text.empty() || header_name(text);
}

bool key_place(std::string_view text) {
  std::size_t const colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  std::string_view const kind = text.substr(0, colon), name = text.substr(colon + 1);
  if (kind == "json") return !name.empty();
  return (kind == "header" || kind == "cookie") && header_name(name);
}

bool route_path(std::string_view text) {
  if (text.size() < 2 || text.front() != '/') return false;
  for (std::size_t start = 1; start <= text.size();) {
    std::size_t const end = std::min(text.find('/', start), text.size());
    if (!is_segment(text.substr(start, end - start))) return false;
    start = end + 1;
  }
  return true;
}

/// The route table itself knows best.
bool route_pattern(std::string_view text) {
  try {
    std::string const entry(text);
    openai::RouteTable const table(std::span(&entry, 1));
    return true;
  } catch (std::invalid_argument const&) {
    return false;
  }
}

bool address_block(std::string_view text) {
  std::size_t const slash = text.find('/');
  std::string_view const address = text.substr(0, slash);
  bool const v4 = is_ipv4(address);
  if (!v4 && !is_ipv6(address)) return false;
  if (slash == std::string_view::npos) return true;
  auto const bits = parse_whole(text.substr(slash + 1));
  return bits && *bits <= (v4 ? 32U : 128U);
}

bool cors_origin(std::string_view text) {
  if (text == "*") return true;
  std::size_t const host = text.find("://");
  return host != 0 && host != std::string_view::npos && host + 3 < text.size() && all_of(text.substr(0, host), "+-.") &&
         all_of(text.substr(host + 3), "-._:[]");
}

bool request_target(std::string_view text) {
  return text.starts_with('/') && all_graph(text) && text.find('#') == std::string_view::npos;
}

}  // namespace kvgate::config
