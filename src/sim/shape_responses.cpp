// /v1/responses.
#include <nlohmann/json.hpp>

#include "sim/shape.hpp"

namespace kvgate::sim {
namespace {

void add_nulls(Json& body, std::initializer_list<char const*> keys) {
  for (auto const* key : keys) body[key] = nullptr;
}

Json text_part(std::string const& text, Json logprobs) {
  return {{"annotations", Json::array()}, {"text", text}, {"type", "output_text"}, {"logprobs", std::move(logprobs)}};
}

Json usage_object(Usage const& usage) {
  Json body;
  body["input_tokens"] = usage.prompt;
  body["input_tokens_details"] = {{"cached_tokens", usage.cached},
                                  {"cache_write_tokens", usage.created},
                                  {"input_tokens_per_turn", Json::array()},
                                  {"cached_tokens_per_turn", Json::array()}};
  body["output_tokens"] = usage.completion;
  body["output_tokens_details"] = {{"reasoning_tokens", 0},
                                   {"tool_output_tokens", 0},
                                   {"output_tokens_per_turn", Json::array()},
                                   {"tool_output_tokens_per_turn", Json::array()}};
  body["total_tokens"] = usage.prompt + usage.completion;
  return body;
}

class ResponsesShape final : public Shape {
 public:
  explicit ResponsesShape(Job const& job) : job_(job), item_id_("msg_" + job.id.substr(5)) {}

  Events opening() override {
    auto const response = response_object(job_, "in_progress");
    return {event("response.created", {{"response", response}}),
            event("response.in_progress", {{"response", response}})};
  }

  Events first(Usage const&) override {
    return {event("response.output_item.added", {{"item", item("in_progress", Json::array())}, {"output_index", 0}}),
            event("response.content_part.added", {{"content_index", 0},
                                                  {"item_id", item_id_},
                                                  {"output_index", 0},
                                                  {"part", text_part("", Json::array())}})};
  }

  Events token(Token const& token, Usage const&) override {
    text_ += token.text;
    return {event("response.output_text.delta", {{"content_index", 0},
                                                 {"delta", token.text},
                                                 {"item_id", item_id_},
                                                 {"logprobs", Json::array()},
                                                 {"output_index", 0}})};
  }

  Events closing(Usage const& usage) override {
    auto const part = text_part(text_, nullptr);
    Events events;
    // The recorded event has its members in alphabetical order: the number stands before the text.
    Json done = {{"content_index", 0}, {"item_id", item_id_}, {"logprobs", Json::array()}, {"output_index", 0}};
    done["sequence_number"] = nullptr;
    done["text"] = text_;
    events.push_back(event("response.output_text.done", std::move(done)));
    events.push_back(event("response.content_part.done",
                           {{"content_index", 0}, {"item_id", item_id_}, {"output_index", 0}, {"part", part}}));
    events.push_back(
        event("response.output_item.done", {{"item", item("completed", Json::array({part}))}, {"output_index", 0}}));
    events.push_back(event("response.completed", {{"response", whole(text_, usage)}}));
    return events;
  }

  Json whole(std::string const& text, Usage const& usage) override {
    auto body = response_object(job_, job_.limited ? "incomplete" : "completed");
    if (job_.limited) body["incomplete_details"] = {{"reason", "max_output_tokens"}};
    body["output"] = Json::array({item("completed", Json::array({text_part(text, nullptr)}))});
    body["usage"] = usage_object(usage);
    return body;
  }

 private:
  std::string event(char const* name, Json data) {
    data["sequence_number"] = sequence_++;
    data["type"] = name;
    return named_event(name, data);
  }

  Json item(std::string_view status, Json content) const {
    return {{"id", item_id_},      {"content", std::move(content)},
            {"role", "assistant"}, {"status", status},
            {"type", "message"},   {"phase", nullptr}};
  }

  Job const& job_;
  std::string item_id_;
  std::string text_;
  std::uint32_t sequence_ = 0;
};

}  // namespace

Json response_object(Job const& job, std::string_view status) {
  Json body = {{"id", job.id}, {"created_at", job.created}};
  add_nulls(body, {"incomplete_details", "instructions", "metadata"});
  body["model"] = job.model;
  body["object"] = "response";
  body["output"] = Json::array();
  body["parallel_tool_calls"] = true;
  body["temperature"] = 0.0;
  body["tool_choice"] = "none";
  body["tools"] = Json::array();
  body["top_p"] = 1.0;
  body["background"] = job.background;
  body["max_output_tokens"] = job.tokens;
  add_nulls(body, {"max_tool_calls", "previous_response_id", "prompt", "reasoning"});
  body["service_tier"] = "auto";
  body["status"] = status;
  add_nulls(body, {"text", "top_logprobs"});
  body["truncation"] = "disabled";
  add_nulls(body, {"usage", "user"});
  body["presence_penalty"] = 0.0;
  body["frequency_penalty"] = 0.0;
  add_nulls(body, {"kv_transfer_params", "ec_transfer_params", "input_messages", "output_messages"});
  return body;
}

std::unique_ptr<Shape> responses_shape(Job const& job) {
  return std::make_unique<ResponsesShape>(job);
}

}  // namespace kvgate::sim
