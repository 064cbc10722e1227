#include "tokens/probe.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "text/cache/segment_cache.hpp"
#include "tokens/reader.hpp"

namespace kvgate::tokens {
namespace {

using Json = nlohmann::ordered_json;

/// What tokenizers are most often different in: spaces at the start and in rows, digits, case, scripts, marks, emoji,
/// line ends, and texts that look like special tokens.
constexpr std::array kTexts{
    "Hello, world! It's 3:45 and we're 1234567 miles away.",
    " leading  spaces\tand\ttabs,\r\n\n  new lines   ",
    "<s>a</s> <|im_start|>user\n<|endoftext|> [INST] b [/INST]",
    "\u4f60\u597d\uff0c\u4e16\u754c\uff01 \u3053\u3093\u306b\u3061\u306f \u0417\u0434\u0440\u0430\u0432\u0441\u0442\u0432\u0443\u0439 caf\u00e9 cafe\u0301 "
    "\u00df\u0130\u01c5 \U0001f469\u200d\U0001f680\u00bd\u2167",
    "def f(x_1):\n    return {'k': x_1 ** 2}  # HTTPResponse\n",
};

Json chat_of(std::string_view id) {
  return {{"model", id},
          {"messages",
           {{{"role", "system"}, {"content", "You are terse."}},
            {{"role", "user"}, {"content", "How many engines, then?"}},
            {{"role", "assistant"}, {"content", "Three."}},
            {{"role", "user"}, {"content", " Name them: \u4e09."}}}}};
}

std::string text_of(Json const& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<Probe> make_probes(Model const& model, std::string_view id) {
  std::vector<Probe> probes;
  text::SegmentCache none(0);
  auto const add = [&](std::string name, openai::ApiKind api, Json const& body) {
    Probe probe{std::move(name), text_of(body), {}};
    if (read_tokens(model, api, probe.body, none, probe.ids) == kExact) probes.push_back(std::move(probe));
  };
  for (std::size_t i = 0; i < kTexts.size(); ++i)
    add("text " + std::to_string(i + 1), openai::ApiKind::completions, {{"model", id}, {"prompt", kTexts[i]}});
  add("chat", openai::ApiKind::chat, chat_of(id));
  return probes;
}

std::string difference(Probe const& probe, std::vector<std::uint32_t> const& told) {
  if (probe.ids == told) return {};
  auto const at = std::ranges::mismatch(probe.ids, told).in1 - probe.ids.begin();
  return probe.name + ": " + std::to_string(probe.ids.size()) + " ids here, " + std::to_string(told.size()) +
         " there, the first difference is at " + std::to_string(at);
}

}  // namespace kvgate::tokens
