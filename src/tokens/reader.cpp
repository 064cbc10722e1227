#include "tokens/reader.hpp"

#include <simdjson.h>

#include <limits>

#include "text/chat/prompt_tokens.hpp"

namespace kvgate::tokens {

std::string_view read_tokens(Model const& model, openai::ApiKind api, std::string_view body, text::SegmentCache& cache,
                             std::vector<std::uint32_t>& out) {
  thread_local text::TokenizerScratch scratch;
  out.clear();
  text::PromptOptions options;
  options.cache = &cache;
  auto tokens = text::prompt_tokens(*model.assets, api, body, options, scratch);
  if (!tokens) return "refused";
  if (tokens->unknown) return to_string(*tokens->unknown);
  if (tokens->prefix_only) return to_string(text::Unknown::media);
  if (tokens->prompts.size() != 1) return "several";
  out = std::move(tokens->prompts.front());
  return kExact;
}

std::optional<std::vector<std::uint32_t>> ids_in_answer(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::array list;
  if (parser.parse(body.data(), body.size())["tokens"].get(list)) return std::nullopt;
  std::vector<std::uint32_t> ids;
  ids.reserve(list.size());
  for (auto const element : list) {
    std::uint64_t id = 0;
    if (element.get(id) || id > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    ids.push_back(static_cast<std::uint32_t>(id));
  }
  return ids;
}

}  // namespace kvgate::tokens
