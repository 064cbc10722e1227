// /v1/completions. A list of prompts gets one choice each, all with the same text.
#include <nlohmann/json.hpp>

#include "sim/openai_usage.hpp"
#include "sim/shape.hpp"

namespace kvgate::sim {
namespace {

class CompletionShape final : public Shape {
 public:
  explicit CompletionShape(Job const& job) : job_(job) {}

  Events first(Usage const&) override { return {}; }

  Events token(Token const& token, Usage const& usage) override {
    Events events;
    for (std::uint32_t i = 0; i < job_.choices; ++i) {
      Json choice = {{"index", i}, {"text", token.text}, {"logprobs", nullptr}, {"finish_reason", nullptr}};
      if (token.last) choice["finish_reason"] = finish_reason(job_);
      for (auto const* key : {"stop_reason", "prompt_token_ids", "token_ids"}) choice[key] = nullptr;
      auto body = head();
      body["choices"] = Json::array({std::move(choice)});
      if (job_.continuous_usage) body["usage"] = running_usage(usage);
      if (token.last && !job_.include_usage) body["system_fingerprint"] = system_fingerprint;
      events.push_back(data_event(body));
    }
    return events;
  }

  Events closing(Usage const& usage) override {
    Events events;
    if (job_.include_usage) {
      auto body = head();
      body["choices"] = Json::array();
      body["usage"] = final_usage(usage, false);
      body["system_fingerprint"] = system_fingerprint;
      events.push_back(data_event(body));
    }
    events.emplace_back(done_event);
    return events;
  }

  Json whole(std::string const& text, Usage const& usage) override {
    auto choices = Json::array();
    for (std::uint32_t i = 0; i < job_.choices; ++i) {
      Json choice = {{"index", i}, {"text", text}, {"logprobs", nullptr}, {"finish_reason", finish_reason(job_)}};
      for (auto const* key : {"stop_reason", "token_ids", "prompt_logprobs", "prompt_token_ids", "routed_experts"}) {
        choice[key] = nullptr;
      }
      choices.push_back(std::move(choice));
    }
    auto body = head();
    body["choices"] = std::move(choices);
    body["service_tier"] = nullptr;
    body["system_fingerprint"] = system_fingerprint;
    body["usage"] = whole_usage(usage, false);
    for (auto const* key : {"kv_transfer_params", "ec_transfer_params", "metrics"}) body[key] = nullptr;
    return body;
  }

 private:
  Json head() const {
    return {{"id", job_.id}, {"object", "text_completion"}, {"created", job_.created}, {"model", job_.model}};
  }

  Job const& job_;
};

}  // namespace

std::unique_ptr<Shape> completion_shape(Job const& job) {
  return std::make_unique<CompletionShape>(job);
}

}  // namespace kvgate::sim
