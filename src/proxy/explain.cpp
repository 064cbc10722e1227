#include "proxy/explain.hpp"

#include "base/log.hpp"
#include "prefix/prompt_text.hpp"
#include "proxy/request_facts.hpp"
#include "proxy/worker.hpp"
#include "routing/record.hpp"
#include "tokens/reader.hpp"

namespace kvgate::proxy {
namespace {

constexpr std::string_view kChat = "/v1/chat/completions";
constexpr std::string_view kCompletions = "/v1/completions";

std::optional<std::string> path_in(std::string_view path_and_query) {
  auto const value = query_value(path_and_query, "path");
  return value ? openai::percent_decode(*value) : std::nullopt;
}

Result<openai::RouteRow const*> proxied(Worker& worker, std::string_view path) {
  auto const route = worker.shared.routes.find("POST", path);
  if (!route) return route.error();
  if (route->row->own != openai::OwnEndpoint::none)
    return Error(ErrorKind::bad_request, "The gate answers that path itself.", "path");
  if (route->row->by_response_id)
    return Error(ErrorKind::bad_request, "That path goes to the engine that made the response.", "path");
  return route->row;
}

/// Into `body`, to which its views refer.
std::optional<Error> read_as(Worker& worker, openai::RouteRow const& row, Question const& question, RequestBody& body) {
  if (auto error = check_encoding(worker, question.head)) return error;
  auto opened = open_request(worker, row, question.head, question.body);
  if (!opened) return opened.error();
  body = std::move(*opened);
  return read_request(worker, question.head, question.body, body);
}

/// The body, and the path that it is meant for.
Result<openai::RouteRow const*> read(Worker& worker, Question const& question, RequestBody& body) {
  auto const path = path_in(question.path_and_query);
  auto row = proxied(worker, path ? std::string_view(*path) : kChat);
  if (!row) return row;
  auto error = read_as(worker, **row, question, body);
  if (!path && !error && body.view.messages.empty() && !body.view.prompt.empty()) {
    row = proxied(worker, kCompletions);
    error = read_as(worker, **row, question, body);
  }
  if (error) return *error;
  return row;
}

/// Left empty where requests would have to ask an engine.
void read_tokens(Worker& worker, fleet::ModelEntry const& model, openai::ApiKind api, std::string_view body,
                 std::vector<std::uint32_t>& ids) {
  auto const known = tokens::Table::find(*worker.tokens.get(), model.id);
  if (known && known->usable()) tokens::read_tokens(*known, api, body, worker.shared.segments, ids);
}

std::string_view text_of(RequestBody const& body, Question const& question) {
  return body.packed ? std::string_view(body.decoded) : question.body;
}

struct Target {
  fleet::EndpointSet const& fleet;
  fleet::ModelEntry const* model;
};

/// As Exchange::select() does, for a first attempt.
routing::Verdict decide(Worker& worker, RouteContext const& context, Target const& target, routing::Trace& trace) {
  if (auto const maker = maker_of(worker, context.request)) {
    auto const others = all_but(*maker, target.fleet);
    auto const verdict = worker.selector.explain(context, {target.fleet, target.model, others}, trace);
    if (verdict.chosen) return {verdict.chosen, "response_id", {"made_there"}};
    trace.clear();
  }
  return worker.selector.explain(context, {target.fleet, target.model, {}}, trace);
}

std::string record(Worker& worker, RouteContext const& context, routing::Trace const& trace,
                   routing::Verdict const& verdict, std::string_view request_id) {
  return routing::record_json({context, worker.shared.plans.of(context.model), worker.selector.field(), trace, verdict,
                               worker.shared.config.routing.simhash.max_bytes, request_id});
}

}  // namespace

Result<std::string> explain(Worker& worker, Question const& question) {
  RequestBody body;
  auto const row = read(worker, question, body);
  if (!row) return row.error();
  auto const& fleet = *worker.fleet.get();
  auto const model = resolve_model(worker, fleet, **row, body);
  if (!model) return model.error();
  auto const name = *model ? std::string_view((*model)->id) : std::string_view();
  auto const keys = worker.shared.keys.read(question.head, question.path_and_query, body.view);
  prefix::PromptBlocks blocks;
  PromptFacts prompt(body.view, name, blocks);
  std::vector<std::uint32_t> ids;
  if (*model) read_tokens(worker, **model, body.view.api, text_of(body, question), ids);
  if (!ids.empty()) prompt.tokenized(ids);
  routing::Trace trace;
  trace.detailed = true;
  RouteContext const context{body.view, prompt, keys, name, Clock::now(), worker.random.next()};
  auto const verdict = decide(worker, context, {fleet, *model}, trace);
  return record(worker, context, trace, verdict, question.request_id);
}

void log_decision(Worker& worker, RouteContext const& context, Decision const& decision, std::string_view request_id) {
  if (!log::enabled(log::Level::info)) return;
  auto const chosen = decision.endpoint ? worker.selector.verdict().chosen : nullptr;
  routing::Verdict const verdict{chosen, decision.policy, decision.why};
  auto const text = record(worker, context, worker.selector.trace(), verdict, request_id);
  log::event(log::Level::info, "decision", {{"id", request_id}, {"record", log::Json{text}}});
}

}  // namespace kvgate::proxy
