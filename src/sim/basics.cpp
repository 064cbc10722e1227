// The endpoints that need no computation.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/handlers.hpp"
#include "sim/job.hpp"
#include "sim/prompt.hpp"
#include "sim/replies.hpp"

namespace kvgate::sim {
namespace {

Reply empty_reply(int status = 200) {
  Reply reply;
  reply.status = status;
  reply.content_type.clear();
  return reply;
}

Json model_card(EngineState& engine, std::string const& id, std::string const& root, Json parent) {
  Json permission = {{"id", "modelperm-" + engine.unique_id()}, {"object", "model_permission"}};
  permission["created"] = unix_seconds();
  permission["allow_create_engine"] = false;
  for (auto const* key : {"allow_sampling", "allow_logprobs"}) permission[key] = true;
  permission["allow_search_indices"] = false;
  permission["allow_view"] = true;
  permission["allow_fine_tuning"] = false;
  permission["organization"] = "*";
  permission["group"] = nullptr;
  permission["is_blocking"] = false;
  Json card = {{"id", id}, {"object", "model"}, {"created", unix_seconds()}, {"owned_by", "vllm"}, {"root", root}};
  bool const is_adapter = !parent.is_null();
  card["parent"] = std::move(parent);
  // An adapter has no length of its own.
  card["max_model_len"] = is_adapter ? Json(nullptr) : Json(engine.options.max_model_len);
  card["permission"] = Json::array({std::move(permission)});
  return card;
}

/// The text or the messages of a /tokenize body.
Tokens tokens_of(Json const& body) {
  std::uint32_t ignored = 0;
  auto const* prompt = member(body, "prompt");
  return prompt != nullptr ? prompt_tokens(*prompt, ignored) : tokenize(chat_text(body));
}

}  // namespace

Reply health(EngineState& engine, Request const&) {
  if (engine.health.kind == FaultKind::none) return empty_reply();
  // Count 0 means until cleared; else the last counted probe clears it.
  if (engine.health.count > 0 && --engine.health.count == 0) engine.health = Fault();
  return empty_reply(503);
}

Reply ping(EngineState& engine, Request const& request) {
  return health(engine, request);
}

Reply version(EngineState&, Request const&) {
  return json_reply({{"version", "0.32.0"}});
}

// Like vLLM without --enable-server-load-tracking.
Reply load(EngineState&, Request const&) {
  return json_reply({{"server_load", 0}});
}

Reply metrics_page(EngineState& engine, Request const& request) {
  Reply reply;
  reply.content_type = "text/plain; version=1.0.0; charset=utf-8";
  if (request.method == "HEAD") reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  reply.body = metrics_text(engine);
  return reply;
}

Reply models(EngineState& engine, Request const&) {
  auto const& base = engine.options.models.front();
  auto data = Json::array();
  for (auto const& id : engine.options.models) data.push_back(model_card(engine, id, "/models/" + base, nullptr));
  for (auto const& lora : engine.options.loras) {
    data.push_back(model_card(engine, lora.id, "/adapters/" + lora.id, lora.parent.empty() ? base : lora.parent));
  }
  return json_reply({{"object", "list"}, {"data", std::move(data)}});
}

Reply tokenize_text(EngineState& engine, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  if (member(*body, "prompt") == nullptr && member(*body, "messages") == nullptr) return missing_field(*body, "prompt");
  auto job = base_job(engine, request, *body, tokens_of(*body));
  if (!job) return job.error();
  Json strings;
  if (bool_or(*body, "return_token_strs", false)) {
    strings = Json::array();
    for (auto const id : job->prompt) strings.push_back(detokenize({&id, 1}));
  }
  Json answer = {{"count", job->prompt.size()}, {"max_model_len", engine.options.max_model_len}};
  answer["tokens"] = job->prompt;
  answer["token_strs"] = std::move(strings);
  return json_reply(answer);
}

Reply detokenize_ids(EngineState&, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  auto const* ids = member(*body, "tokens");
  if (ids == nullptr) return missing_field(*body, "tokens");
  std::uint32_t ignored = 0;
  return json_reply({{"prompt", detokenize(prompt_tokens(*ids, ignored))}});
}

Reply count_tokens(EngineState& engine, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  if (member(*body, "messages") == nullptr) return missing_field(*body, "messages");
  auto const job = base_job(engine, request, *body, tokens_of(*body));
  if (!job && job.error().status == 404) {
    return anthropic_error(404, "NotFoundError", unknown_model(engine.options, string_or(*body, "model")));
  }
  if (!job) return job.error();
  auto const count = job->prompt.size();
  return json_reply({{"input_tokens", count}, {"context_management", {{"original_input_tokens", count}}}});
}

Reply get_response(EngineState& engine, Request const& request) {
  auto const* stored = engine.responses.find(request.segment);
  if (stored == nullptr) {
    return error_reply(404, "invalid_request_error", "Response with id '" + request.segment + "' not found.",
                       "response_id");
  }
  Reply reply;
  reply.body = stored->body;
  return reply;
}

Reply cancel_response(EngineState& engine, Request const& request) {
  auto* stored = engine.responses.find(request.segment);
  if (stored == nullptr) return get_response(engine, request);
  if (stored->running == nullptr) {
    return error_reply(400, "invalid_request_error", "Cannot cancel a synchronous response.", "response_id");
  }
  auto body = Json::parse(stored->body);
  body["status"] = "cancelled";
  auto const running = std::exchange(stored->running, nullptr);
  stored->body = dump(body);
  running->emit(boost::asio::cancellation_type::terminal);
  return json_reply(body);
}

Reply sleep_engine(EngineState& engine, Request const& request) {
  engine.scheduler.sleep(true);
  int const level = request.query == "level=2" ? 2 : 1;
  return json_reply({{"status", "sleeping"}, {"level", level}});
}

Reply wake_up(EngineState& engine, Request const&) {
  engine.scheduler.sleep(false);
  return json_reply({{"status", "awake"}});
}

Reply is_sleeping(EngineState& engine, Request const&) {
  return json_reply({{"is_sleeping", engine.scheduler.asleep()}});
}

Reply reset_prefix_cache(EngineState& engine, Request const&) {
  engine.cache.clear();
  return json_reply({{"success", true}});
}

}  // namespace kvgate::sim
