// What configuration or discovery says about one engine, before anything is known of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kvgate {

/// `http(s)://host:port[/base]`, taken apart. host is without the brackets of an IPv6 literal.
struct EngineUrl {
  std::string text;       ///< canonical: lower-case scheme and host, port always given, no trailing slash
  bool tls = false;
  std::string host;       ///< a name (with or without dots), an IPv4 or an IPv6 literal
  std::uint16_t port = 0;
  std::string base;       ///< "" or "/prefix": put before every path sent to the engine
  std::string authority;  ///< the Host header: host[:port], brackets around IPv6, port left out when the scheme implies it
};

struct EngineSpec {
  EngineUrl url;
  std::string key;                            ///< sent as `Authorization: Bearer`; empty: the client's own goes on
  std::map<std::string, std::string> labels;
  double weight = 1.0;
  std::vector<std::string> models;            ///< when not empty: these, instead of asking the engine
  std::uint32_t max_concurrent = 0;           ///< requests in flight from this gate at most; 0: no limit
};

}  // namespace kvgate
