#include "text/tokenize/request_encoder.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "openai/json_text.hpp"

namespace kvgate::text {
namespace {

using openai::ApiKind;

constexpr std::array<std::pair<std::string_view, ApiKind>, 9> kApis{{{"chat", ApiKind::chat},
                                                                     {"batch_chat", ApiKind::batch_chat},
                                                                     {"completions", ApiKind::completions},
                                                                     {"responses", ApiKind::responses},
                                                                     {"messages", ApiKind::messages},
                                                                     {"embeddings", ApiKind::embeddings},
                                                                     {"pooling", ApiKind::pooling},
                                                                     {"score", ApiKind::score},
                                                                     {"rerank", ApiKind::rerank}}};

std::string prompt_fields(PromptTokens const& tokens, std::size_t at) {
  return "\"rendered\":" + openai::json_string(tokens.texts[at]) + ",\"ids\":" + ids_as_json(tokens.prompts[at]);
}

std::string all_prompts(PromptTokens const& tokens) {
  std::string out = "{\"prompts\":[";
  for (std::size_t i = 0; i < tokens.prompts.size(); ++i) {
    out.append(i == 0 ? "{" : ",{").append(prompt_fields(tokens, i)).append("}");
  }
  return out + "]}";
}

std::string answer_of(PromptTokens const& tokens) {
  if (tokens.unknown) {
    return "{\"unknown\":" + openai::json_string(to_string(*tokens.unknown)) +
           ",\"detail\":" + openai::json_string(tokens.detail) + "}";
  }
  if (tokens.prompts.size() != 1) return all_prompts(tokens);
  return "{" + prompt_fields(tokens, 0) + (tokens.prefix_only ? ",\"prefix_only\":true}" : "}");
}

class RequestEncoder final : public LineEncoder {
 public:
  RequestEncoder(std::shared_ptr<ModelAssets const> model, ApiKind api, PromptOptions options)
      : model_(std::move(model)), api_(api), options_(std::move(options)) {
    options_.texts = true;
  }

 private:
  Result<std::string> encode(std::string_view line) override {
    auto const tokens = prompt_tokens(*model_, api_, line, options_, scratch_);
    if (tokens.has_error()) return tokens.error();
    return answer_of(*tokens);
  }

  std::shared_ptr<ModelAssets const> model_;
  ApiKind api_;
  PromptOptions options_;
  TokenizerScratch scratch_;
};

class InputEncoder final : public LineEncoder {
 public:
  InputEncoder(std::shared_ptr<ModelAssets const> model, PromptOptions options)
      : model_(std::move(model)), options_(std::move(options)) {}

 private:
  Result<std::string> encode(std::string_view line) override {
    auto const input = chat_input(*model_, line, options_);
    if (input.has_error()) return input.error();
    return "{\"input\":" + *input + "}";
  }

  std::shared_ptr<ModelAssets const> model_;
  PromptOptions options_;
};

}  // namespace

std::optional<ApiKind> api_named(std::string_view name) {
  auto const* found = std::ranges::find_if(kApis, [&](auto const& api) { return api.first == name; });
  if (found == kApis.end()) return std::nullopt;
  return found->second;
}

std::optional<jinja::WallClock> clock_at(std::string_view time) {
  jinja::LocalTime fixed;
  std::string const text(time);
  char const* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &fixed.tm);
  if (end == nullptr || *end != '\0') return std::nullopt;
  std::tm copy = fixed.tm;
  timegm(&copy);  // finds the day of the week and of the year
  fixed.tm.tm_wday = copy.tm_wday;
  fixed.tm.tm_yday = copy.tm_yday;
  return jinja::WallClock([fixed] { return fixed; });
}

std::unique_ptr<LineEncoder> make_request_encoder(std::shared_ptr<ModelAssets const> model, ApiKind api,
                                                  PromptOptions options) {
  return std::make_unique<RequestEncoder>(std::move(model), api, std::move(options));
}

std::unique_ptr<LineEncoder> make_input_encoder(std::shared_ptr<ModelAssets const> model, PromptOptions options) {
  return std::make_unique<InputEncoder>(std::move(model), std::move(options));
}

}  // namespace kvgate::text
