#include "config/option_table.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "config/checks.hpp"
#include "config/engine_codec.hpp"
#include "config/url.hpp"
#include "routing/catalogue.hpp"

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
      make_row<Config>("tokenizers.dir", at(&Config::tokenizers, &tokens::Options::dir), file(),
                       "Folder with one folder per model id (org/name), each with tokenizer.json and its companions."),
      make_row<Config>("tokenizers.hf_cache", at(&Config::tokenizers, &tokens::Options::hf_cache), file(),
                       "A Hugging Face cache (the folder with models--ORG--NAME), searched after tokenizers.dir."),
      make_row<Config>("tokenizers.check", at(&Config::tokenizers, &tokens::Options::check), boolean(),
                       "Compare token ids with each engine's /tokenize when it joins; a difference ends their use for that model."),
      make_row<Config>("tokenizers.remote_timeout", at(&Config::tokenizers, &tokens::Options::remote_timeout), duration(1ms, 1min),
                       "`tokenizer: remote`: a request is routed without token ids when the engine has not told them by then."),
      make_row<Config>("tokenizers.cache", at(&Config::tokenizers, &tokens::Options::cache), bytes(0, 64 * gib),
                       "For the tokens of texts seen before, of all models; 0: none are kept."),
      make_row<Config>("tokenizers.threads", at(&Config::tokenizers, &tokens::Options::threads), count(1, 64),
                       "Threads that make tokens of long bodies, so that workers do not stall."),
      make_row<Config>("tokenizers.long_text", at(&Config::tokenizers, &tokens::Options::long_text), bytes(kib, gib),
                       "Bodies above this are long."),
  };
}

Codec<std::vector<std::string>> policy_chain() {
  return list_of(name_of("policy", &Catalogue::policies), 1);
}

Codec<std::vector<std::string>> filter_chain() {
  return list_of(name_of("filter", &Catalogue::filters));
}

/// Printed as it runs.
Node write_chain(Config const& config) {
  return policy_chain().write(routing::completed(config.routing.policies));
}

Row<Config> policies_row() {
  auto row = make_row<Config>("routing.policies", at(&Config::routing, &Routing::policies), policy_chain(),
                              "The chain of routing policies: the first with an opinion picks the engine. When the last "
                              "can abstain, least_loaded follows.")
                 .with_flag("--policy", "NAME[,NAME...]")
                 .as_plural();
  row.write = write_chain;
  return row;
}

Row<Config> model_items_row() {
  Row<Config> row{.path = "models.*",
                  .type = "map",
                  .allowed = "NAME: {routing: {policies, filters}, tokenizer, ...}",
                  .doc = "What holds for that model only; its keys stand below."};
  row.read = [](Config& config, Node const& node, Reading const& reading) {
    for (Node const& item : node.items) {
      ModelItem read;
      read_rows(read, model_table(), item, reading.at(reading.place.member(item)));
      config.routing.models[item.key] = std::move(read.routing);
      config.tokenizers.models[item.key] = std::move(read.text);
    }
  };
  row.write = [](Config const& config) {
    Node out = Node::map();
    for (auto const& [model, chain] : config.routing.models)
      out.items.push_back(write_rows(ModelItem{chain, config.tokenizers.models.at(model)}, model_table()).named(model));
    return out;
  };
  return row;
}

Table<Config> routing_rows() {
  constexpr auto routing = &Config::routing;
  return {
      policies_row(),
      make_row<Config>("routing.filters", at(routing, &Routing::filters), filter_chain(),
                       "Filters that take engines out before the policies see them, in this order.")
          .as_plural(),
      make_row<Config>("routing.default_model", at(routing, &Routing::default_model),
                       text("model name", "any text", any_text), "For requests that name no model; empty: none."),
      make_row<Config>("routing.pin_by_id", at(routing, &Routing::pin_by_id), boolean(),
                       "`?id=` of a request names the one engine that may take it: its URL, host:port or label `id`."),
      model_items_row(),
      make_row<Config>("explain.sample", at(&Config::explain, &Explain::sample), number(0, 1),
                       "Share of the requests whose routing decisions are logged in full, as /explain tells them."),
  };
}

using routing::OverloadOptions;
using routing::PrefixOptions;
using routing::PriorityOptions;
using routing::SessionOptions;

constexpr auto session = &Routing::session;
constexpr auto prefix = &Routing::prefix;
constexpr auto priority = &Routing::priority;
constexpr auto overload = &Routing::overload;

Table<Config> policy_rows() {
  constexpr auto routing = &Config::routing;
  return {
      make_row<Config>("session.keys", at(routing, session, &SessionOptions::keys),
                       list_of(text("place", "header:NAME, cookie:NAME or json:FIELD", key_place), 0, 7),
                       "Where a request's session id is looked for, first present wins; none: the policy abstains.")
          .as_plural(),
      make_row<Config>("session.ring", at(routing, session, &SessionOptions::ring), choice({"bounded", "uhashring"}),
                       "Consistent hashing with bounded load, or the ring of Python's uhashring, point for point."),
      make_row<Config>("session.bound", at(routing, session, &SessionOptions::bound), number(1, 100),
                       "bounded: most requests in flight of an engine, relative to its share of all."),
      make_row<Config>("prefix.mode", at(routing, prefix, &PrefixOptions::mode), choice({"cost", "longest", "threshold"}),
                       "Least work left to do, longest cached prefix, or the Rust gateways' cache-aware rule."),
      make_row<Config>("prefix.min_match", at(routing, prefix, &PrefixOptions::min_match), bytes(0, gib),
                       "Bytes of prompt text that must be cached somewhere, else prefix_affinity abstains."),
      make_row<Config>("prefix.max_memory", at(routing, prefix, &PrefixOptions::max_memory), bytes(mib, 64 * gib),
                       "For all that is believed of the engines' caches."),
      make_row<Config>("prefix.queue_weight", at(routing, prefix, &PrefixOptions::queue_weight), number(0, 100),
                       "cost: what a prefill token that waits at the engine counts, relative to one of the request."),
      make_row<Config>("prefix.copy_weight", at(routing, prefix, &PrefixOptions::copy_weight), number(0, 100),
                       "cost: what a prefix token cached elsewhere counts on top where a copy would evict something."),
      make_row<Config>("prefix.fill_weight", at(routing, prefix, &PrefixOptions::fill_weight), number(0, 100),
                       "cost: what a token to compute counts on top at an engine whose cache is full; less where it is not."),
      make_row<Config>("prefix.decode_weight", at(routing, prefix, &PrefixOptions::decode_weight), number(0, 100'000),
                       "cost: prefill tokens that each request in flight stands for."),
      make_row<Config>("prefix.cache_threshold", at(routing, prefix, &PrefixOptions::cache_threshold), number(0, 1),
                       "threshold: least share of the prompt that must be cached to follow it."),
      make_row<Config>("prefix.balance_abs_threshold", at(routing, prefix, &PrefixOptions::balance_abs_threshold),
                       count(0, 1'000'000), "threshold: imbalanced when most minus fewest in flight is above this ..."),
      make_row<Config>("prefix.balance_rel_threshold", at(routing, prefix, &PrefixOptions::balance_rel_threshold),
                       number(1, 1000), "threshold: ... and most is above this times fewest."),
      make_row<Config>("simhash.max_bytes", at(routing, &Routing::simhash, &routing::SimhashOptions::max_bytes),
                       bytes(16, mib), "How much of the prompt's beginning the hash is of."),
      make_row<Config>("priority.header", at(routing, priority, &PriorityOptions::header),
                       text("header name", "a header field's name, or empty", optional_header),
                       "Request header with the priority, a whole number; lower is more urgent."),
      make_row<Config>("priority.field", at(routing, priority, &PriorityOptions::field),
                       text("field name", "any text, or empty", any_text), "JSON field with it, when there is no header."),
      make_row<Config>("priority.urgent_below", at(routing, priority, &PriorityOptions::urgent_below),
                       integer(-1'000'000'000, 1'000'000'000), "Requests below this go to the least busy engine."),
  };
}

Table<Config> filter_rows() {
  constexpr auto routing = &Config::routing;
  return {
      make_row<Config>("overload.max_in_flight", at(routing, overload, &OverloadOptions::max_in_flight),
                       count(0, 1'000'000), "Most requests in flight from this gate; 0: no limit."),
      make_row<Config>("overload.max_waiting", at(routing, overload, &OverloadOptions::max_waiting), count(0, 1'000'000),
                       "Most requests that the engine says wait; 0: no limit."),
      make_row<Config>("overload.max_kv_usage", at(routing, overload, &OverloadOptions::max_kv_usage), number(0, 1),
                       "Largest share of its KV cache in use; 0: no limit."),
      make_row<Config>("overload.relative", at(routing, overload, &OverloadOptions::relative), number(0, 1000),
                       "Most requests in flight, relative to the candidates' median; 0: no limit."),
      make_row<Config>("num_queueing_requests.percentile",
                       at(routing, &Routing::queueing, &routing::QueueingOptions::percentile), number(0, 1),
                       "Engines with a longer queue than this share of the candidates are dropped."),
      make_row<Config>("label.match", at(routing, &Routing::label, &routing::LabelOptions::match),
                       map_of(text("text", "any text", any_text)), "Labels that an engine must have.")
          .as_plural(),
      make_row<Config>("label.header", at(routing, &Routing::label, &routing::LabelOptions::header),
                       text("header name", "a header field's name, or empty", optional_header),
                       "Request header that asks for more labels: name=value,name=value; empty: none."),
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
    for (auto section : {server_rows, http_rows, proxy_rows, engine_rows, fleet_rows, routing_rows, policy_rows, filter_rows, life_rows}) {
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

Table<ModelItem> const& model_table() {
  using routing::ModelChain;
  constexpr auto chain = &ModelItem::routing;
  constexpr auto text_of = &ModelItem::text;
  static Table<ModelItem> const table{
      make_row<ModelItem>("routing.policies", at(chain, &ModelChain::policies), optional_of(policy_chain()),
                           "As routing.policies."),
      make_row<ModelItem>("routing.filters", at(chain, &ModelChain::filters), optional_of(filter_chain()),
                           "As routing.filters."),
      make_row<ModelItem>("tokenizer", at(text_of, &tokens::ModelOptions::tokenizer),
                          text("tokenizer", "auto, remote, none, or the path of a folder or file", not_empty),
                          "Where its token ids come from: found by the model's name, asked of an engine, not at all, or a "
                          "tokenizer's folder, tokenizer.json or tekken.json."),
      make_row<ModelItem>("chat_template", at(text_of, &tokens::ModelOptions::chat_template), file(),
                          "The file given to the engine as --chat-template; empty: the tokenizer's own template."),
      make_row<ModelItem>("content_format", at(text_of, &tokens::ModelOptions::content_format),
                          choice({"auto", "string", "openai"}), "As the engine's --chat-template-content-format."),
      make_row<ModelItem>("default_chat_template_kwargs", at(text_of, &tokens::ModelOptions::default_chat_template_kwargs),
                          text("JSON", "a JSON object, or empty", any_text),
                          "As the engine's --default-chat-template-kwargs."),
      make_row<ModelItem>("exclude_tools_when_tool_choice_none",
                          at(text_of, &tokens::ModelOptions::exclude_tools_when_tool_choice_none), boolean(),
                          "As the engine's --exclude-tools-when-tool-choice-none."),
      make_row<ModelItem>("system_start_date", at(text_of, &tokens::ModelOptions::system_start_date),
                          text("date", "YYYY-MM-DD, or empty", any_text),
                          "gpt-oss: as the engine's VLLM_SYSTEM_START_DATE; empty: today."),
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
