// What texts of the configuration must look like. Pure predicates for the option table.
#pragma once

#include <string_view>

namespace kvgate::config {

bool any_text(std::string_view text);
bool not_empty(std::string_view text);
/// An address to listen on: a name, an IPv4 literal, or an IPv6 literal without brackets.
bool listen_host(std::string_view text);
/// Empty, or what can stand in `Authorization: Bearer`: printable ASCII without blanks.
bool bearer_key(std::string_view text);
/// A header field's name.
bool header_name(std::string_view text);
/// Empty, or a header field's name.
bool optional_header(std::string_view text);
/// `header:NAME`, `cookie:NAME` or `json:FIELD`.
bool key_place(std::string_view text);
/// A path of plain segments, `{}` for any one segment.
bool route_path(std::string_view text);
/// `[METHOD ]/path`.
bool route_pattern(std::string_view text);
/// An address or CIDR block, IPv4 or IPv6.
bool address_block(std::string_view text);
/// `*` or `scheme://host[:port]`.
bool cors_origin(std::string_view text);
/// A request target: printable ASCII from the first `/` on, no fragment.
bool request_target(std::string_view text);

}  // namespace kvgate::config
