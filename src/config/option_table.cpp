#include "config/option_table.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "config/checks.hpp"
#include "config/engine_codec.hpp"
#include "config/url.hpp"

namespace kvgate::config {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

Codec<std::uint16_t> port() {
  return cast<std::uint16_t>(whole(0, 65535));
}

Codec<std::uint32_t> count(std::uint32_t min, std::uint32_t max) {
  return cast<std::uint32_t>(whole(min, max));
}

Codec<std::size_t> bytes(std::uint64_t min, std::uint64_t max) {
  return cast<std::size_t>(size(min, max));
}

Codec<std::string> host() {
  return text("host", "a name, an IPv4 or an IPv6 address (without brackets)", listen_host);
}

Codec<std::string> bearer() {
  return text("key", "printable ASCII without blanks, or empty", bearer_key);
}

Codec<std::string> file() {
  return text("path", "a file's path, or empty", any_text);
}

Codec<std::string> model() {
  return text("model name", "any text but empty", not_empty);
}

Codec<EngineUrl> engine_url() {
  auto read = [](Node const& node, Reading const& reading) {
    if (node.kind != Node::Kind::scalar) refuse(node, reading, "", engine_url_allowed);
    auto url = parse_engine_url(node.text);
    if (url) return *std::move(url);
    Reading quoting = reading;
    quoting.secret = node.text.find('@') != std::string::npos;  // what stands before it may be a password
    refuse(node, quoting, url.error().message, engine_url_allowed);
  };
  return {"URL", std::string(engine_url_allowed), read, [](EngineUrl const& url) { return Node::scalar(url.text); }};
}

void add(Table<Config>& to, Table<Config> rows) {
  std::move(rows.begin(), rows.end(), std::back_inserter(to));
}

Table<Config> server_rows() {
  return {
      make_row<Config>("server.host", at(&Config::server, &Server::host), host(), "Address to listen on.")
          .with_flag("--host", "HOST"),
      make_row<Config>("server.port", at(&Config::server, &Server::port), port(), "Port to listen on; 0: any free one.")
          .with_flag("--port", "PORT"),
      make_row<Config>("server.workers", at(&Config::server, &Server::workers), count(0, 1024),
                       "Worker threads; 0: as many as the CPUs that the process may use."),
      make_row<Config>("admin.host", at(&Config::admin, &Admin::host), host(), "Address of the admin port."),
      make_row<Config>("admin.port", at(&Config::admin, &Admin::port), optional_of(port()),
                       "Port for the gate's own endpoints (/metrics, /health, ...); unset: they are on server.port."),
      make_row<Config>("admin.key", at(&Config::admin, &Admin::key), bearer(),
                       "`Authorization: Bearer` key that opens the guarded endpoints from anywhere.")
          .as_secret(),
  };
}

Table<Config> http_rows() {
  return {
      make_row<Config>("http.max_head", at(&Config::http, &Http::max_head), bytes(kib, mib),
                       "Largest request head; beyond it 431."),
      make_row<Config>("http.max_body", at(&Config::http, &Http::max_body), bytes(1, 16 * gib),
                       "Largest request body; beyond it 413."),
      make_row<Config>("http.head_timeout", at(&Config::http, &Http::head_timeout), duration(1ms, 1h),
                       "From the first byte of a request to the end of its head; then 408."),
      make_row<Config>("http.body_timeout", at(&Config::http, &Http::body_timeout), duration(1ms, 24h),
                       "Without progress of the request body; then 408."),
      make_row<Config>("http.idle_timeout", at(&Config::http, &Http::idle_timeout), duration(1ms, 24h),
                       "A kept-alive client connection without a request is closed after this."),
      make_row<Config>("http.write_timeout", at(&Config::http, &Http::write_timeout), duration(1ms, 24h),
                       "A client that reads nothing of what waits for it is cut off after this."),
      make_row<Config>("http.half_close", at(&Config::http, &Http::half_close), choice({"close", "allow"}),
                       "What a client's FIN after its request means: it left, or it still reads."),
      make_row<Config>("http.decode_requests", at(&Config::http, &Http::decode_requests), boolean(),
                       "Decode gzip and deflate request bodies for routing; without it they are answered 415."),
      make_row<Config>("http.trusted_proxies", at(&Config::http, &Http::trusted_proxies),
                       list_of(text("address", "IP addresses and CIDR blocks", address_block)),
                       "Peers whose X-Forwarded-For is appended to instead of replaced.")
          .as_plural(),
      make_row<Config>("http.cors_origins", at(&Config::http, &Http::cors_origins),
                       list_of(text("origin", "* or scheme://host[:port]", cors_origin)),
                       "Origins that browsers may call from; empty: no CORS.")
          .as_plural(),
      make_row<Config>("http.debug_headers", at(&Config::http, &Http::debug_headers), boolean(),
                       "Add X-Kvgate-Engine and X-Kvgate-Decision to responses (they tell clients what is cached).")
          .with_flag("--debug-headers"),
  };
}

constexpr auto timeouts = &Proxy::timeouts;
constexpr auto no_limit = 0ms;

Table<Config> proxy_rows() {
  return {
      make_row<Config>("proxy.extra_paths", at(&Config::proxy, &Proxy::extra_paths),
                       list_of(text("route", "[METHOD ]/path, {} for any one segment", route_pattern)),
                       "Further engine paths that clients may reach.")
          .as_plural(),
      make_row<Config>("proxy.timeouts.first_byte", at(&Config::proxy, timeouts, &RouteTimeouts::first_byte),
                       duration(no_limit, 24h), "To the first byte of the answer's body; 0: no limit."),
      make_row<Config>("proxy.timeouts.between_bytes", at(&Config::proxy, timeouts, &RouteTimeouts::between_bytes),
                       duration(no_limit, 24h), "Between bytes of the answer; 0: no limit."),
      make_row<Config>("proxy.timeouts.total", at(&Config::proxy, timeouts, &RouteTimeouts::total),
                       duration(no_limit, 24h), "From the request to the end of the answer; 0: no limit."),
      make_row<Config>("proxy.routes", at(&Config::proxy, &Proxy::routes), route_map(),
                       "The same three limits for single paths; what a path leaves out has no limit.")
          .as_plural(),
  };
}

Table<Config> engine_rows() {
  return {
      make_row<Config>("engine.connect_timeout", at(&Config::engine, &EngineDefaults::connect_timeout),
                       duration(1ms, 5min), "To connect to an engine, TLS included."),
      make_row<Config>("engine.idle_timeout", at(&Config::engine, &EngineDefaults::idle_timeout), duration(1ms, 1h),
                       "Unused engine connections are closed after this (uvicorn closes its end after 5 s)."),
      make_row<Config>("engine.dead_grace", at(&Config::engine, &EngineDefaults::dead_grace), duration(0ms, 1h),
                       "A stream that was silent this long ends as lost when health checks call its engine down."),
      make_row<Config>("engine.max_head", at(&Config::engine, &EngineDefaults::max_head), bytes(kib, mib),
                       "Largest head of an engine's answer; beyond it 502."),
      make_row<Config>("engine.tls.ca_file", at(&Config::engine, &EngineDefaults::ca_file), file(),
                       "PEM file of the authorities that sign https engines; empty: the system's."),
      make_row<Config>("engine.tls.insecure_skip_verify", at(&Config::engine, &EngineDefaults::insecure_skip_verify),
                       boolean(), "Take any certificate from https engines."),
      make_row<Config>("retry.after_send", at(&Config::retry, &Retry::after_send), count(0, 1),
                       "How many more engines get a request that was lost after it was sent in full."),
      make_row<Config>("retry.poison_ttl", at(&Config::retry, &Retry::poison_ttl), whole_seconds(24h),
                       "How long a body that lost two engines is refused."),
  };
}

Table<Config> fleet_rows() {
  return {
      make_row<Config>("health.enabled", at(&Config::health, &Health::enabled), boolean(), "Probe the engines."),
      make_row<Config>("health.path", at(&Config::health, &Health::path),
                       text("path", "a path from / on", request_target), "What is asked for, below the engine's base."),
      make_row<Config>("health.interval", at(&Config::health, &Health::interval), duration(10ms, 1h),
                       "Between probes of one engine."),
      make_row<Config>("health.timeout", at(&Config::health, &Health::timeout), duration(1ms, 5min),
                       "A probe without an answer fails after this."),
      make_row<Config>("health.fall", at(&Config::health, &Health::fall), count(1, 100),
                       "Failures in a row until an engine is down."),
      make_row<Config>("health.rise", at(&Config::health, &Health::rise), count(1, 100),
                       "Successes in a row until it is up again."),
      make_row<Config>("engine_stats.enabled", at(&Config::engine_stats, &EngineStats::enabled), boolean(),
                       "Read what the engines say of their own load."),
      make_row<Config>("engine_stats.path", at(&Config::engine_stats, &EngineStats::path),
                       text("path", "a path from / on", request_target),
                       "Where an engine has its metrics, below its base."),
      make_row<Config>("engine_stats.interval", at(&Config::engine_stats, &EngineStats::interval), duration(10ms, 1h),
                       "How often each engine's metrics are read."),
      make_row<Config>("engine_stats.timeout", at(&Config::engine_stats, &EngineStats::timeout), duration(1ms, 5min),
                       "Reading them fails after this."),
      make_row<Config>("engine_stats.stale", at(&Config::engine_stats, &EngineStats::stale), duration(10ms, 24h),
                       "What an engine said longer ago counts as unknown; must be longer than the interval."),
      make_row<Config>("models.refresh", at(&Config::models, &Models::refresh), duration(10ms, 24h),
                       "How often each engine's /v1/models is read."),
      make_row<Config>("models.known", at(&Config::models, &Models::known), list_of(model()),
                       "Models that are known even while no engine has them: 503 instead of 404.")
          .as_plural(),
  };
}

Table<Config> routing_rows() {
  return {
      make_row<Config>("routing.policies", at(&Config::routing, &Routing::policies),
                       list_of(name_of("policy", &Catalogue::policies), 1),
                       "The chain of routing policies: the first with an opinion picks the engine.")
          .with_flag("--policy", "NAME[,NAME...]")
          .as_plural(),
      make_row<Config>("routing.filters", at(&Config::routing, &Routing::filters),
                       list_of(name_of("filter", &Catalogue::filters)),
                       "Filters that take engines out before the policies see them, in this order.")
          .as_plural(),
      make_row<Config>("routing.default_model", at(&Config::routing, &Routing::default_model),
                       text("model name", "any text", any_text), "For requests that name no model; empty: none."),
      make_row<Config>("routing.session_header", at(&Config::routing, &Routing::session_header),
                       text("header name", "a header field's name", header_name),
                       "Request header that holds the session id."),
  };
}

Table<Config> life_rows() {
  return {
      make_row<Config>("limits.memory", at(&Config::limits, &Limits::memory), size(0, 1024 * gib),
                       "For all buffered bodies, and what reading a JSON body takes (6 times its size, for a moment); 0: half of the "
                       "cgroup's limit."),
      make_row<Config>("limits.connections", at(&Config::limits, &Limits::connections), count(0, 10'000'000),
                       "Open client connections; 0: what the limit on open files leaves."),
      make_row<Config>("drain.settle", at(&Config::drain, &Drain::settle), duration(0ms, 1h),
                       "After SIGTERM, connections are still served this long while /ready says 503."),
      make_row<Config>("drain.timeout", at(&Config::drain, &Drain::timeout), duration(0ms, 24h),
                       "From the signal until what still runs is cut off."),
      make_row<Config>("log.format", at(&Config::log, &Log::format), choice({"text", "json"}), "Form of log lines."),
      make_row<Config>("log.level", at(&Config::log, &Log::level), choice({"debug", "info", "warn", "error"}),
                       "Least severe lines that are written."),
      make_row<Config>("log.file", at(&Config::log, &Log::file), file(),
                       "Log file, reopened on SIGUSR1; empty: standard output."),
      make_row<Config>("log.access", at(&Config::log, &Log::access), boolean(), "Write one line for each request.")
          .with_flag("--access-log"),
      make_row<Config>("engines", at(&Config::engines), engine_list(), "The engines.")
          .with_flag("--engines", "URL[,URL...]")
          .as_plural(),
  };
}

}  // namespace

Table<Config> const& option_table() {
  static Table<Config> const table = [] {
    Table<Config> all;
    for (auto section : {server_rows, http_rows, proxy_rows, engine_rows, fleet_rows, routing_rows, life_rows}) {
      add(all, section());
    }
    return all;
  }();
  return table;
}

Table<EngineSpec> const& engine_table() {
  static Table<EngineSpec> const table{
      make_row<EngineSpec>("url", at(&EngineSpec::url), engine_url(), "Where it is; the only key that is required."),
      make_row<EngineSpec>("key", at(&EngineSpec::key), bearer(),
                           "Sent as `Authorization: Bearer` instead of the client's own.")
          .as_secret(),
      make_row<EngineSpec>("labels", at(&EngineSpec::labels), map_of(text("text", "any text", any_text)),
                           "Free names and values."),
      make_row<EngineSpec>("weight", at(&EngineSpec::weight), positive_number(1000),
                           "Its share of the traffic, relative to the others."),
      make_row<EngineSpec>("models", at(&EngineSpec::models), list_of(model()),
                           "Its models; empty: its /v1/models is asked."),
      make_row<EngineSpec>("max_concurrent", at(&EngineSpec::max_concurrent), count(0, 1'000'000),
                           "Most requests in flight from this gate; 0: no limit."),
  };
  return table;
}

Table<RouteTimeouts> const& route_table() {
  static Table<RouteTimeouts> const table{
      make_row<RouteTimeouts>("first_byte", at(&RouteTimeouts::first_byte), duration(no_limit, 24h),
                              "As proxy.timeouts.first_byte."),
      make_row<RouteTimeouts>("between_bytes", at(&RouteTimeouts::between_bytes), duration(no_limit, 24h),
                              "As proxy.timeouts.between_bytes."),
      make_row<RouteTimeouts>("total", at(&RouteTimeouts::total), duration(no_limit, 24h), "As proxy.timeouts.total."),
  };
  return table;
}

}  // namespace kvgate::config
