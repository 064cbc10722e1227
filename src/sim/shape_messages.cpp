// /v1/messages, the Anthropic API.
#include <nlohmann/json.hpp>

#include "sim/shape.hpp"

namespace kvgate::sim {
namespace {

class MessagesShape final : public Shape {
 public:
  explicit MessagesShape(Job const& job) : job_(job) {}

  Events first(Usage const& usage) override {
    Json message = {
        {"id", job_.id},       {"type", "message"},      {"role", "assistant"},     {"content", Json::array()},
        {"model", job_.model}, {"stop_reason", nullptr}, {"stop_sequence", nullptr}};
    message["usage"] = {{"input_tokens", usage.prompt - usage.cached}, {"output_tokens", 0}};
    return {event({{"type", "message_start"}, {"message", std::move(message)}}),
            event({{"type", "content_block_start"}, {"content_block", text_block("")}, {"index", 0}})};
  }

  Events token(Token const& token, Usage const&) override {
    Json delta = {{"type", "text_delta"}, {"text", token.text}};
    return {event({{"type", "content_block_delta"}, {"delta", std::move(delta)}, {"index", 0}})};
  }

  Events closing(Usage const& usage) override {
    Json delta = {{"stop_reason", stop_reason()}, {"stop_sequence", nullptr}};
    return {event({{"type", "content_block_stop"}, {"index", 0}}),
            event({{"type", "message_delta"}, {"delta", std::move(delta)}, {"usage", counts(usage)}}),
            event({{"type", "message_stop"}})};
  }

  Json whole(std::string const& text, Usage const& usage) override {
    return {{"id", job_.id},         {"type", "message"},
            {"role", "assistant"},   {"content", Json::array({text_block(text)})},
            {"model", job_.model},   {"stop_reason", stop_reason()},
            {"usage", counts(usage)}};
  }

 private:
  static std::string event(Json const& data) {
    return named_event(data.at("type").get_ref<std::string const&>(), data);
  }

  static Json text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

  std::string_view stop_reason() const { return job_.limited ? "max_tokens" : "end_turn"; }

  static Json counts(Usage const& usage) {
    return {{"input_tokens", usage.prompt - usage.cached},
            {"output_tokens", usage.completion},
            {"cache_creation_input_tokens", usage.created},
            {"cache_read_input_tokens", usage.cached}};
  }

  Job const& job_;
};

}  // namespace

std::unique_ptr<Shape> messages_shape(Job const& job) {
  return std::make_unique<MessagesShape>(job);
}

}  // namespace kvgate::sim
