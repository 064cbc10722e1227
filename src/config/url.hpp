// The parser of engine URLs, for configuration and discovery alike. Pure functions, no sockets, no name look-ups.
#pragma once

#include <string_view>

#include "kvgate/engine_spec.hpp"
#include "kvgate/error.hpp"

namespace kvgate::config {

/// What parse_engine_url() takes, as text for messages and documentation.
inline constexpr std::string_view engine_url_allowed =
    "http(s)://HOST[:PORT][/BASE], HOST a name, an IPv4 address or an [IPv6] address";

/// Takes `http(s)://host[:port][/base]` apart; the port defaults to 80 or 443. Userinfo, query and fragment are
/// refused. The error is ErrorKind::bad_request; its message says what is wrong and never quotes userinfo.
Result<EngineUrl> parse_engine_url(std::string_view text);

/// A host name (letters, digits, `-`, `_`; dots or none), an IPv4 literal, or an IPv6 literal without brackets.
bool is_host(std::string_view text);

bool is_ipv4(std::string_view text);
bool is_ipv6(std::string_view text);

}  // namespace kvgate::config
