// /v1/audio/transcriptions and /v1/audio/translations.
#include <nlohmann/json.hpp>

#include "sim/shape.hpp"

namespace kvgate::sim {
namespace {

class TranscriptionShape final : public Shape {
 public:
  explicit TranscriptionShape(Job const& job) : job_(job) {}

  Events first(Usage const&) override { return {}; }

  Events token(Token const& token, Usage const&) override {
    Json choice = {{"delta", {{"content", token.text}}}, {"finish_reason", nullptr}, {"stop_reason", nullptr}};
    if (token.last) choice["finish_reason"] = finish_reason(job_);
    Json body = {{"id", job_.id}, {"object", "transcription.chunk"}, {"created", job_.created}, {"model", job_.model}};
    body["choices"] = Json::array({std::move(choice)});
    return {data_event(body)};
  }

  Events closing(Usage const&) override { return {std::string(done_event)}; }

  Json whole(std::string const& text, Usage const& usage) override {
    // Sixteen kilohertz of 16-bit samples, as if the file were raw.
    constexpr std::uint32_t tokens_per_second = 8000;
    return {{"text", text}, {"usage", {{"type", "duration"}, {"seconds", 1 + usage.prompt / tokens_per_second}}}};
  }

 private:
  Job const& job_;
};

}  // namespace

std::unique_ptr<Shape> transcription_shape(Job const& job) {
  return std::make_unique<TranscriptionShape>(job);
}

}  // namespace kvgate::sim
