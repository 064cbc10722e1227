#include "text/chat/prompt_tokens.hpp"

#include <algorithm>

#include "text/chat/plan.hpp"
#include "text/chat/python_json.hpp"
#include "text/chat/render_chat.hpp"

namespace kvgate::text {
namespace {

using openai::ApiKind;

Outcome<Plan> plan_for(ApiKind api, Value const& body, PlanContext const& context) {
  switch (api) {
    case ApiKind::chat:
      return plan_chat(body, context);
    case ApiKind::batch_chat:
      return plan_batch_chat(body, context);
    case ApiKind::completions:
      return plan_completion(body, context);
    case ApiKind::responses:
      return plan_response(body, context);
    case ApiKind::messages:
      return plan_messages(body, context);
    case ApiKind::embeddings:
    case ApiKind::pooling:
      return plan_embedding(body, context);
    case ApiKind::score:
    case ApiKind::rerank:
      return plan_scoring(body, context);
    default:
      return cannot_tell(Unknown::api);
  }
}

/// Calls `make` with the parsed body, whatever the client sent.
template <class Make>
auto with_body(std::string_view text, jinja::Arena& arena, Make make) -> decltype(make(Value())) {
  try {
    auto const body = read_body(text, arena);
    if (!body) return body.error();
    return make(*body);
  } catch (jinja::ArenaFull const&) {
    return cannot_tell(Unknown::size);
  }
}

Outcome<std::string> explained(ModelAssets const& model, Value const& body, jinja::Arena& arena) {
  if (model.prompts.renderer != Renderer::jinja) return cannot_tell(Unknown::renderer);
  auto const request = read_chat_request(body, arena);
  if (!request) return request.error();
  auto const input = explain_input(*request, model.prompts.templates, arena);
  if (!input) return input.error();
  return python_json(*input);
}

Result<PromptTokens> stopped(Stop const& stop) {
  if (!stop.unknown) return Error(ErrorKind::bad_request, stop.message);
  PromptTokens out;
  out.unknown = stop.unknown;
  out.detail = stop.message;
  return out;
}

/// Encodes the prompts of one plan.
class Encoder {
 public:
  using Ids = std::vector<std::uint32_t>;

  Encoder(ModelAssets const& model, Plan const& plan, SegmentCache* cache, TokenizerScratch& scratch)
      : model_(model), plan_(plan), cache_(cache), scratch_(scratch) {}

  Outcome<Ids> operator()(TextPrompt const& prompt) {
    if (model_.prompts.lower_cases) return cannot_tell(Unknown::renderer, "the engine lower-cases texts");
    auto ids = encode(prompt.text, prompt.add_special_tokens);
    if (!ids || !plan_.truncation.keep) return ids;
    return shortened(std::move(*ids), prompt);
  }

  Outcome<Ids> operator()(IdsPrompt const& prompt) {
    if (!plan_.truncation.keep) return prompt;
    return cut(prompt);
  }

  Outcome<Ids> operator()(HarmonyPrompt const& prompt) {
    if (!model_.harmony) return cannot_tell(Unknown::no_tokenizer);
    auto ids = harmony::render_ids(prompt, *model_.harmony, scratch_);
    if (!ids) return cannot_tell(Unknown::no_tokenizer, ids.error().message);
    if (!plan_.truncation.keep) return std::move(*ids);
    return cut(std::move(*ids));
  }

  Outcome<Ids> operator()(PairPrompt const& prompt) {
    if (!model_.pairs) return cannot_tell(Unknown::pair_format);
    if (plan_.truncation.keep) return cannot_tell(Unknown::truncation);
    auto const first = encode(prompt.query, false);
    auto const second = encode(prompt.document, false);
    if (!first) return first;
    if (!second) return second;
    Ids out;
    for (PairFormat::Piece const& piece : model_.pairs->pieces) {
      using Kind = PairFormat::Piece::Kind;
      if (piece.kind == Kind::special) {
        out.push_back(piece.id);
      } else {
        Ids const& ids = piece.kind == Kind::first ? *first : *second;
        out.insert(out.end(), ids.begin(), ids.end());
      }
    }
    return out;
  }

 private:
  Outcome<Ids> encode(std::string_view text, bool add_special_tokens) {
    if (!model_.tokenizer) return cannot_tell(Unknown::no_tokenizer);
    Ids ids;
    EncodeOptions const options{.add_special_tokens = add_special_tokens};
    auto const encoded = cache_ ? model_.encoder->encode(text, options, *cache_, scratch_, ids)
                                : model_.tokenizer->encode(text, options, scratch_, ids);
    if (!encoded) return cannot_tell(Unknown::no_tokenizer, encoded.error().message);
    return ids;
  }

  /// How many ids the engine keeps; nullopt: it depends on a setting that is not known.
  std::optional<std::size_t> kept() const {
    std::int64_t const keep = *plan_.truncation.keep;
    if (keep >= 0) return static_cast<std::size_t>(keep);
    if (!model_.max_model_len) return std::nullopt;
    return static_cast<std::size_t>(std::max<std::int64_t>(0, *model_.max_model_len - (plan_.pooling ? 0 : 1)));
  }

  Outcome<Ids> cut(Ids ids) const {
    auto const keep = kept();
    if (!keep) return cannot_tell(Unknown::truncation);
    if (ids.size() <= *keep) return ids;
    bool const from_left = plan_.truncation.side == Truncation::Side::unset
                               ? !plan_.pooling
                               : plan_.truncation.side == Truncation::Side::left;
    if (from_left) ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(*keep));
    ids.resize(*keep);
    return ids;
  }

  Outcome<Ids> shortened(Ids ids, TextPrompt const& prompt) {
    auto const keep = kept();
    if (keep && ids.size() <= *keep) return ids;
    // The tokenizer itself would cut the text's tokens only, and then add the special ones.
    bool const by_tokenizer = plan_.truncation.side == Truncation::Side::unset && prompt.add_special_tokens;
    if (!by_tokenizer) return cut(std::move(ids));
    auto const plain = encode(prompt.text, false);
    if (!plain) return plain;
    if (*plain != ids) return cannot_tell(Unknown::truncation);
    return cut(std::move(ids));
  }

  ModelAssets const& model_;
  Plan const& plan_;
  SegmentCache* const cache_;
  TokenizerScratch& scratch_;
};

Outcome<PromptTokens> encoded(ModelAssets const& model, Plan& plan, SegmentCache* cache, TokenizerScratch& scratch) {
  PromptTokens out;
  out.prefix_only = !plan.media.empty();
  if (out.prefix_only && plan.truncation.keep) return cannot_tell(Unknown::truncation);
  if (auto* text = std::get_if<TextPrompt>(&plan.prompts.front()); out.prefix_only && text && model.tokenizer) {
    text->text.resize(model.cuts.last_end(text->text));
    if (text->text.empty()) return cannot_tell(Unknown::media);
  }
  Encoder encoder(model, plan, cache, scratch);
  for (Prompt const& prompt : plan.prompts) {
    auto ids = std::visit(encoder, prompt);
    if (!ids) return ids.error();
    out.prompts.push_back(std::move(*ids));
  }
  out.media = std::move(plan.media);
  return out;
}

std::string text_of(Prompt const& prompt) {
  if (auto const* text = std::get_if<TextPrompt>(&prompt)) return text->text;
  if (auto const* messages = std::get_if<HarmonyPrompt>(&prompt)) return harmony::render_text(*messages);
  if (auto const* pair = std::get_if<PairPrompt>(&prompt)) return pair->query + "\n" + pair->document;
  return {};
}

}  // namespace

Result<PromptTokens> prompt_tokens(ModelAssets const& model, ApiKind api, std::string_view body,
                                   PromptOptions const& options, TokenizerScratch& scratch) {
  jinja::Arena arena(options.arena_bytes);
  PlanContext const context{model.prompts, options.render, arena};
  auto plan = with_body(body, arena, [&](Value const& parsed) { return plan_for(api, parsed, context); });
  if (!plan) return stopped(plan.error());
  auto tokens = encoded(model, *plan, options.cache, scratch);
  if (!tokens) return stopped(tokens.error());
  if (options.texts) std::ranges::transform(plan->prompts, std::back_inserter(tokens->texts), text_of);
  return std::move(*tokens);
}

Result<std::string> chat_input(ModelAssets const& model, std::string_view body, PromptOptions const& options) {
  jinja::Arena arena(options.arena_bytes);
  auto input = with_body(body, arena, [&](Value const& parsed) { return explained(model, parsed, arena); });
  if (input) return std::move(*input);
  Stop const& stop = input.error();
  return Error(ErrorKind::bad_request, stop.unknown ? std::string(to_string(*stop.unknown)) : stop.message);
}

}  // namespace kvgate::text
