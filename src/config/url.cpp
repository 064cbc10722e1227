#include "config/url.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "base/ascii.hpp"

namespace kvgate::config {
namespace {

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_xdigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), ascii_lower);
  return out;
}

Error wrong(std::string message) {
  return Error(ErrorKind::bad_request, std::move(message));
}

/// inet_pton wants a terminated string and takes no prefix lengths, zones or short forms.
bool converts(int family, std::string_view text, void* into) {
  return text.find('\0') == std::string_view::npos && inet_pton(family, std::string(text).c_str(), into) == 1;
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_'; });
}

bool is_name(std::string_view text) {
  if (!text.empty() && text.back() == '.') text.remove_suffix(1);  // fully qualified: no search list
  if (text.empty() || text.size() > 253) return false;
  for (std::size_t start = 0; start <= text.size();) {
    std::size_t const end = std::min(text.find('.', start), text.size());
    if (!is_label(text.substr(start, end - start))) return false;
    start = end + 1;
  }
  // Digits and dots alone are an address; what is not a valid one must not reach the resolver, which would guess.
  return text.find_first_not_of("0123456789.") != std::string_view::npos;
}

/// The one spelling of a host, or nothing. IPv6 literals have many, which must not count as different engines.
std::optional<std::string> canonical_host(std::string_view text, bool bracketed) {
  if (!bracketed) {
    return is_ipv4(text) || is_name(text) ? std::optional(to_lower(text)) : std::nullopt;
  }
  in6_addr address{};
  if (!converts(AF_INET6, text, &address)) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> out{};
  inet_ntop(AF_INET6, &address, out.data(), out.size());
  return std::string(out.data());
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
  bool const whole = ec == std::errc() && end == text.data() + text.size();
  return whole && port != 0 && text.front() != '0' ? std::optional(port) : std::nullopt;
}

bool is_path_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || !is_xdigit(text[i + 1]) || !is_xdigit(text[i + 2])) return false;
      i += 2;
    } else if (!is_alnum(text[i]) && std::string_view("-._~!$&'()*+,;=:@/").find(text[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

Result<std::string> parse_base(std::string_view path) {
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  if (!is_path_text(path)) return wrong("has a character in its path that must be percent-encoded");
  std::string const segments = std::string(path) + "/";
  for (std::string_view bad : {"//", "/./", "/../"}) {
    if (segments.find(bad) != std::string::npos) return wrong("has an empty, '.' or '..' segment in its path");
  }
  return std::string(path);
}

/// Splits `host[:port]` and fills host, port and authority.
std::optional<Error> parse_authority(std::string_view text, EngineUrl& url) {
  bool const bracketed = !text.empty() && text.front() == '[';
  std::size_t const host_end = bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (host_end == std::string_view::npos) return wrong("has no ']' after its IPv6 address");
  std::string_view const host = bracketed ? text.substr(1, host_end - 1) : text.substr(0, host_end);
  std::string_view const rest = text.substr(host_end + (bracketed ? 1 : 0));
  if (host.empty()) return wrong("has no host");
  auto const canonical = canonical_host(host, bracketed);
  if (!canonical) return wrong("has a bad host (an IPv6 address goes in brackets)");
  std::uint16_t const implied = url.tls ? 443 : 80;
  url.host = *canonical;
  url.port = implied;
  if (!rest.empty()) {
    auto const port = rest.front() == ':' ? parse_port(rest.substr(1)) : std::nullopt;
    if (!port) return wrong("has a bad port, which is 1 to 65535");
    url.port = *port;
  }
  url.authority = bracketed ? "[" + url.host + "]" : url.host;
  if (url.port != implied) url.authority += ":" + std::to_string(url.port);
  return std::nullopt;
}

/// Takes the scheme off the front of `text`.
bool take_scheme(std::string_view& text, bool& tls) {
  for (std::string_view scheme : {"http://", "https://"}) {
    if (iequals(text.substr(0, scheme.size()), scheme)) {
      tls = scheme.size() == 8;
      text.remove_prefix(scheme.size());
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_ipv4(std::string_view text) {
  in_addr address{};
  return converts(AF_INET, text, &address);
}

bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return converts(AF_INET6, text, &address);
}

bool is_host(std::string_view text) {
  return is_ipv4(text) || is_ipv6(text) || is_name(text);
}

Result<EngineUrl> parse_engine_url(std::string_view text) {
  EngineUrl url;
  if (!take_scheme(text, url.tls)) return wrong("does not start with http:// or https://");
  std::size_t const path_start = std::min(text.find_first_of("/?#"), text.size());
  std::string_view const authority = text.substr(0, path_start);
  if (authority.find('@') != std::string_view::npos)
    return wrong("has a user or password, which go in the engine's key");
  if (text.find_first_of("?#") != std::string_view::npos) return wrong("has a query or fragment");
  if (auto error = parse_authority(authority, url)) return *error;
  auto base = parse_base(text.substr(path_start));
  if (!base) return base.error();
  url.base = *base;
  bool const v6 = url.host.find(':') != std::string::npos;
  url.text = (url.tls ? "https://" : "http://") + (v6 ? "[" + url.host + "]" : url.host) + ":" +
             std::to_string(url.port) + url.base;
  return url;
}

}  // namespace kvgate::config
