#include "sim/routes.hpp"

#include <optional>

namespace kvgate::sim {
namespace {

/// An endpoint that needs no time as a handler.
template <Reply (*F)(EngineState&, Request const&)>
boost::asio::awaitable<void> at_once(Exchange& exchange) {
  auto reply = F(exchange.engine(), exchange.request());
  co_await exchange.send(std::move(reply));
}

constexpr bool kInference = true;
constexpr bool kDevMode = true;

constexpr Route kRoutes[] = {
    {"GET", "/health", at_once<health>},
    {"GET", "/ping", at_once<ping>},
    {"POST", "/ping", at_once<ping>},
    {"GET", "/version", at_once<version>},
    {"GET", "/load", at_once<load>},
    {"GET", "/metrics", at_once<metrics_page>},
    {"HEAD", "/metrics", at_once<metrics_page>},
    {"GET", "/v1/models", at_once<models>},
    {"POST", "/tokenize", at_once<tokenize_text>, kInference},
    {"POST", "/detokenize", at_once<detokenize_ids>, kInference},
    {"POST", "/v1/chat/completions", chat_completions, kInference},
    {"POST", "/v1/completions", completions, kInference},
    {"POST", "/v1/responses", responses, kInference},
    {"GET", "/v1/responses/{}", at_once<get_response>},
    {"POST", "/v1/responses/{}/cancel", at_once<cancel_response>},
    {"POST", "/v1/messages", messages, kInference},
    {"POST", "/v1/messages/count_tokens", at_once<count_tokens>, kInference},
    {"POST", "/v1/embeddings", embeddings, kInference},
    {"POST", "/pooling", pooling, kInference},
    {"POST", "/score", score, kInference},
    {"POST", "/v1/score", score, kInference},
    {"POST", "/rerank", rerank, kInference},
    {"POST", "/v1/rerank", rerank, kInference},
    {"POST", "/v2/rerank", rerank, kInference},
    {"POST", "/v1/audio/transcriptions", transcriptions, kInference},
    {"POST", "/v1/audio/translations", transcriptions, kInference},
    {"POST", "/sleep", at_once<sleep_engine>, !kInference, kDevMode},
    {"POST", "/wake_up", at_once<wake_up>, !kInference, kDevMode},
    {"GET", "/is_sleeping", at_once<is_sleeping>, !kInference, kDevMode},
    {"POST", "/reset_prefix_cache", at_once<reset_prefix_cache>, !kInference, kDevMode},
    {"GET", "/sim/stats", at_once<sim_stats>},
    {"POST", "/sim/fault", at_once<sim_fault>},
    {"POST", "/sim/reset", at_once<sim_reset>},
};

/// nullopt: no match; else what the wildcard stands for.
std::optional<std::string_view> match(std::string_view pattern, std::string_view path) {
  auto const open = pattern.find("{}");
  if (open == std::string_view::npos) return pattern == path ? std::optional<std::string_view>("") : std::nullopt;
  auto const tail = pattern.substr(open + 2);
  if (path.size() <= open + tail.size() || !path.starts_with(pattern.substr(0, open)) || !path.ends_with(tail)) {
    return std::nullopt;
  }
  auto const segment = path.substr(open, path.size() - open - tail.size());
  return segment.find('/') == std::string_view::npos ? std::optional(segment) : std::nullopt;
}

}  // namespace

RouteMatch find_route(std::string_view method, std::string_view path, bool dev_mode) {
  RouteMatch result;
  for (auto const& route : kRoutes) {
    if (route.dev_mode && !dev_mode) continue;
    auto const segment = match(route.path, path);
    if (!segment) continue;
    if (route.method == method) return {&route, {}, std::string(*segment)};
    if (result.allow.empty()) result.allow = route.method;
  }
  return result;
}

}  // namespace kvgate::sim
