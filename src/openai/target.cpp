#include <algorithm>

#include "base/ascii.hpp"
#include "openai/api.hpp"

namespace kvgate::openai {
namespace {

bool target_char(char c) {
  return c > ' ' && c < '\x7f' && c != '#';
}

/// Length of "http://" or "https://" at the start, 0 when neither is there.
std::size_t scheme_length(std::string_view target) {
  for (std::string_view const scheme : {"http://", "https://"}) {
    if (iequals(target.substr(0, scheme.size()), scheme)) return scheme.size();
  }
  return 0;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = ascii_lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

Target origin_form(std::string_view target) {
  return {target.substr(0, target.find('?')), target};
}

}  // namespace

Result<Target> split_target(std::string_view target) {
  if (!std::all_of(target.begin(), target.end(), target_char)) {
    return Error(ErrorKind::bad_request, "the request target holds a character that a URL cannot hold");
  }
  if (target.starts_with('/')) return origin_form(target);
  auto const scheme = scheme_length(target);
  if (scheme == 0) return Error(ErrorKind::bad_request, "the request target is neither a path nor an http URL");
  auto const authority_end = std::min(target.find_first_of("/?", scheme), target.size());
  if (authority_end == scheme) return Error(ErrorKind::bad_request, "the request target names no host");
  if (authority_end == target.size() || target[authority_end] == '?') return Target{"/", "/"};
  return origin_form(target.substr(authority_end));
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    auto const high = hex_digit(text[i + 1]);
    auto const low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

}  // namespace kvgate::openai
