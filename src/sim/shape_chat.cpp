// /v1/chat/completions.
#include <nlohmann/json.hpp>

#include "sim/openai_usage.hpp"
#include "sim/shape.hpp"

namespace kvgate::sim {
namespace {

class ChatShape final : public Shape {
 public:
  explicit ChatShape(Job const& job) : job_(job) {}

  Events first(Usage const& usage) override {
    auto body = chunk();
    body["choices"].push_back({{"index", 0},
                               {"delta", {{"role", "assistant"}, {"content", ""}}},
                               {"logprobs", nullptr},
                               {"finish_reason", nullptr}});
    if (job_.continuous_usage) body["usage"] = running_usage(usage);
    body["prompt_token_ids"] = nullptr;
    body["prompt_text"] = nullptr;
    return {data_event(body)};
  }

  Events token(Token const& token, Usage const& usage) override {
    Json choice = {
        {"index", 0}, {"delta", {{"content", token.text}}}, {"logprobs", nullptr}, {"finish_reason", nullptr}};
    if (token.last) {
      choice["finish_reason"] = finish_reason(job_);
      choice["stop_reason"] = nullptr;
    }
    choice["token_ids"] = nullptr;
    auto body = chunk();
    body["choices"].push_back(std::move(choice));
    if (job_.continuous_usage) body["usage"] = running_usage(usage);
    if (token.last && !job_.include_usage) body["system_fingerprint"] = system_fingerprint;
    return {data_event(body)};
  }

  Events closing(Usage const& usage) override {
    Events events;
    if (job_.include_usage) {
      auto body = chunk();
      body["usage"] = final_usage(usage, true);
      body["system_fingerprint"] = system_fingerprint;
      events.push_back(data_event(body));
    }
    events.emplace_back(done_event);
    return events;
  }

  Json whole(std::string const& text, Usage const& usage) override {
    Json message = {{"role", "assistant"}, {"content", text}};
    for (auto const* key : {"refusal", "annotations", "audio", "function_call", "reasoning"}) message[key] = nullptr;
    Json choice = {{"index", 0}, {"message", std::move(message)}, {"logprobs", nullptr}};
    choice["finish_reason"] = finish_reason(job_);
    for (auto const* key : {"stop_reason", "token_ids", "routed_experts"}) choice[key] = nullptr;
    Json body = {{"id", job_.id}, {"object", "chat.completion"}, {"created", job_.created}, {"model", job_.model}};
    body["choices"] = Json::array({std::move(choice)});
    body["service_tier"] = nullptr;
    body["system_fingerprint"] = system_fingerprint;
    body["usage"] = whole_usage(usage, true);
    for (auto const* key : {"prompt_logprobs", "prompt_token_ids", "prompt_text", "kv_transfer_params",
                            "ec_transfer_params", "metrics"}) {
      body[key] = nullptr;
    }
    return body;
  }

 private:
  Json chunk() const {
    return {{"id", job_.id},
            {"object", "chat.completion.chunk"},
            {"created", job_.created},
            {"model", job_.model},
            {"choices", Json::array()}};
  }

  Job const& job_;
};

}  // namespace

std::unique_ptr<Shape> chat_shape(Job const& job) {
  return std::make_unique<ChatShape>(job);
}

}  // namespace kvgate::sim
