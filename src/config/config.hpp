// The effective configuration: an immutable snapshot, filled from the option table (option_table.cpp). One struct per
// section of the YAML file, members named as their keys. Durations are chrono types, sizes are bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kvgate/engine_spec.hpp"
#include "routing/options.hpp"
#include "tokens/options.hpp"

namespace kvgate::config {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Server {
  std::string host = "127.0.0.1";        // server.host, --host
  std::uint16_t port = 8000;             // server.port, --port; 0: any free port (tests)
  std::uint32_t workers = 0;             // server.workers; 0: affinity mask and cgroup cpu.max, rounded up
};

struct Admin {
  std::string host = "127.0.0.1";        // admin.host
  std::optional<std::uint16_t> port;     // admin.port; unset: own endpoints are served on server.port
  std::string key;                       // admin.key (secret): `Authorization: Bearer` opens the guarded endpoints
};

struct Http {
  std::size_t max_head = 32 * 1024;                     // http.max_head
  std::size_t max_body = 64 * 1024 * 1024;              // http.max_body
  milliseconds head_timeout{10'000};                    // http.head_timeout: from the first byte to the end of the head
  milliseconds body_timeout{60'000};                    // http.body_timeout: without progress of the request body
  milliseconds idle_timeout{75'000};                    // http.idle_timeout: keep-alive connection without a request
  milliseconds write_timeout{300'000};                  // http.write_timeout: client that does not read while bytes wait
  std::string half_close = "close";                     // http.half_close: close | allow
  bool decode_requests = false;                         // http.decode_requests: gzip/deflate bodies are decoded for routing
  std::vector<std::string> trusted_proxies;             // http.trusted_proxies: addresses or CIDR blocks
  std::vector<std::string> cors_origins;                // http.cors_origins: "*" or origins; empty: no CORS
  bool debug_headers = false;                           // http.debug_headers, --debug-headers: X-Kvgate-Engine, X-Kvgate-Decision
};

/// Limits of one route (or the default). 0 = none.
struct RouteTimeouts {
  milliseconds first_byte{0};
  milliseconds between_bytes{0};
  milliseconds total{0};
};

struct Proxy {
  std::vector<std::string> extra_paths;                 // proxy.extra_paths: "METHOD /path" or "/path" (any method), {} = one segment
  RouteTimeouts timeouts;                               // proxy.timeouts.{first_byte,between_bytes,total}
  std::map<std::string, RouteTimeouts> routes;          // proxy.routes: {"/v1/chat/completions": {first_byte: 30s, ...}}
};

struct EngineDefaults {
  milliseconds connect_timeout{2'000};                  // engine.connect_timeout
  milliseconds idle_timeout{3'500};                     // engine.idle_timeout: pooled connection (uvicorn closes at 5 s)
  milliseconds dead_grace{10'000};                      // engine.dead_grace: silent stream of an engine that health calls down
  std::size_t max_head = 64 * 1024;                     // engine.max_head
  std::string ca_file;                                  // engine.tls.ca_file; empty: the system's
  bool insecure_skip_verify = false;                    // engine.tls.insecure_skip_verify
};

struct Retry {
  std::uint32_t after_send = 1;                         // retry.after_send: more engines after the whole request was sent
  seconds poison_ttl{600};                              // retry.poison_ttl: a body that lost two engines is refused this long
};

struct Health {
  bool enabled = true;                                  // health.enabled
  std::string path = "/health";                         // health.path
  milliseconds interval{5'000};                         // health.interval
  milliseconds timeout{2'000};                          // health.timeout
  std::uint32_t fall = 2;                               // health.fall: failures in a row until down
  std::uint32_t rise = 1;                               // health.rise: successes in a row until up
};

struct EngineStats {
  bool enabled = true;                                  // engine_stats.enabled
  std::string path = "/metrics";                        // engine_stats.path
  milliseconds interval{5'000};                         // engine_stats.interval
  milliseconds timeout{2'000};                          // engine_stats.timeout
  milliseconds stale{15'000};                           // engine_stats.stale: what is older counts as unknown
};

struct Models {
  milliseconds refresh{30'000};                         // models.refresh: how often each engine's /v1/models is read
  std::vector<std::string> known;                       // models.known: known even when no engine has them
};

/// Chains, and the options of policies and filters: sections of their own in the file (session, prefix, ...).
struct Routing : routing::Options {                     // routing.policies, --policy; routing.filters; models.*: routing
  std::string default_model;                            // routing.default_model
};

struct Limits {
  std::uint64_t memory = 0;                             // limits.memory; 0: half of the cgroup's limit
  std::uint32_t connections = 0;                        // limits.connections: open client connections; 0: from RLIMIT_NOFILE
};

struct Drain {
  milliseconds settle{5'000};                           // drain.settle
  milliseconds timeout{60'000};                         // drain.timeout: from the signal to the abnormal end of what still runs
};

struct Log {
  std::string format = "text";                          // log.format: text | json
  std::string level = "info";                           // log.level: debug | info | warn | error
  std::string file;                                     // log.file; empty: standard output; reopened on SIGUSR1
  bool access = false;                                  // log.access, --access-log
};

struct Explain {
  double sample = 0;                                    // explain.sample: share of requests whose decisions are logged
};

struct Config {
  Server server;
  Admin admin;
  Http http;
  Proxy proxy;
  EngineDefaults engine;
  Retry retry;
  Health health;
  EngineStats engine_stats;
  Models models;
  tokens::Options tokenizers;                           // tokenizers.*, and models.*: tokenizer and its companions
  Routing routing;
  Explain explain;
  Limits limits;
  Drain drain;
  Log log;
  std::vector<EngineSpec> engines;                      // engines: list of {url, key, labels, weight, models, max_concurrent}; --engines URL,URL
};

}  // namespace kvgate::config
