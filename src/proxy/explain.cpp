#include "proxy/explain.hpp"

#include "prefix/prompt_text.hpp"
#include "proxy/request_facts.hpp"
#include "proxy/worker.hpp"
#include "routing/record.hpp"

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
  return route->row;
}

Result<RequestBody> read_as(Worker& worker, openai::RouteRow const& row, Question const& question) {
  auto opened = open_request(worker, row, question.head, question.body);
  if (!opened) return opened;
  if (auto error = read_request(worker, question.head, question.body, *opened)) return *error;
  return opened;
}

struct Reading {
  openai::RouteRow const* row;
  RequestBody body;
};

Result<Reading> read(Worker& worker, Question const& question) {
  auto const path = path_in(question.path_and_query);
  auto row = proxied(worker, path ? std::string_view(*path) : kChat);
  if (!row) return row.error();
  auto body = read_as(worker, **row, question);
  if (!path && body && body->view.messages.empty() && !body->view.prompt.empty()) {
    row = proxied(worker, kCompletions);
    body = read_as(worker, **row, question);
  }
  if (!body) return body.error();
  return Reading{*row, std::move(*body)};
}

}  // namespace

Result<std::string> explain(Worker& worker, Question const& question) {
  auto reading = read(worker, question);
  if (!reading) return reading.error();
  auto const& fleet = *worker.fleet.get();
  auto const model = resolve_model(worker, fleet, *reading->row, reading->body);
  if (!model) return model.error();
  auto const name = *model ? std::string_view((*model)->id) : std::string_view();
  auto const& view = reading->body.view;
  auto const keys = worker.shared.keys.read(question.head, question.path_and_query, view);
  prefix::PromptBlocks blocks;
  PromptFacts prompt(view, name, blocks);
  routing::Trace trace;
  trace.detailed = true;
  RouteContext const context{view, prompt, keys, name, Clock::now(), worker.random.next()};
  auto const verdict = worker.selector.explain(context, {fleet, *model, {}}, trace);
  return routing::record_json({context, worker.shared.plans.of(name), worker.selector.field(), trace, verdict,
                               worker.shared.config.routing.simhash.max_bytes});
}

}  // namespace kvgate::proxy
