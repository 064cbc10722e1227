#include <algorithm>
#include <array>

#include "text/chat/plan.hpp"
#include "text/chat/render_chat.hpp"

namespace kvgate::text {
namespace {

/// Names of the two fields that a request may have.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFields{{{"query", "documents"},
                                                                                {"queries", "documents"},
                                                                                {"queries", "items"},
                                                                                {"data_1", "data_2"},
                                                                                {"text_1", "text_2"}}};

/// One text or several. Stops: media, for anything that is not text.
Outcome<std::vector<std::string>> texts_of(Value const& value) {
  if (value.is_string()) return std::vector<std::string>{std::string(value.text())};
  if (!value.is_sequence()) return cannot_tell(Unknown::media, "not a text");
  std::vector<std::string> out;
  for (Value const& item : value.items()) {
    if (!item.is_string()) return cannot_tell(Unknown::media, "not a text");
    out.emplace_back(item.text());
  }
  return out;
}

struct Texts {
  std::vector<std::string> queries;
  std::vector<std::string> documents;
};

Outcome<Texts> read_texts(Value const& body) {
  auto const* fields = std::ranges::find_if(
      kFields, [&](auto const& names) { return !is_null(body.get(names.first)) && !is_null(body.get(names.second)); });
  if (fields == kFields.end()) return refused("query and documents are needed");
  auto queries = texts_of(body.get(fields->first));
  if (!queries) return queries.error();
  auto documents = texts_of(body.get(fields->second));
  if (!documents) return documents.error();
  if (queries->empty() || documents->empty()) return refused("At least one text element must be given");
  if (queries->size() > 1 && queries->size() != documents->size()) {
    return refused("Input lengths must be either 1:1, 1:N or N:N");
  }
  return Texts{std::move(*queries), std::move(*documents)};
}

bool limits_tokens(Value const& body) {
  return truthy(body.get("max_tokens_per_query")) || truthy(body.get("max_tokens_per_doc"));
}

Value score_message(std::string_view role, std::string_view text, jinja::Arena& arena) {
  jinja::Dict* out = jinja::Dict::create(arena, 2);
  out->set(arena, "role", Value::string(role));
  out->set(arena, "content", Value::string(text));
  return Value::dict(out);
}

/// A pair as a score template writes it.
Outcome<Prompt> rendered_pair(Texts const& pair, Value const& body, PlanContext const& context) {
  ChatTemplate const* chosen = context.model.templates.choose(false);
  if (chosen == nullptr) return cannot_tell(Unknown::no_template);
  auto const kwargs = read_dict(body, "chat_template_kwargs");
  if (!kwargs) return kwargs.error();
  TemplateInput input;
  input.add_generation_prompt = false;
  input.others = kwargs->is_dict() ? in_order({}, *kwargs, context.arena) : jinja::Dict::create(context.arena, 1);
  Value const instruction = body.get("instruction");
  bool const own = input.others->find("instruction") != nullptr;
  if (!is_null(instruction) && !own) input.others->set(context.arena, "instruction", instruction);
  std::array<Value, 2> const messages{score_message("query", pair.queries[0], context.arena),
                                      score_message("document", pair.documents[0], context.arena)};
  auto const globals = template_globals(input, Value::list(messages), context.model.templates, *chosen, context.arena);
  if (!globals) return globals.error();
  auto text = chosen->compiled.render(*globals, context.options);
  if (!text) return cannot_tell(Unknown::chat_template, text.error().message);
  return Prompt(TextPrompt{std::move(*text), true});
}

Outcome<Prompt> pair_prompt(Texts pair, Value const& body, PlanContext const& context) {
  switch (context.model.scoring) {
    case Scoring::pairs:
      return Prompt(PairPrompt{std::move(pair.queries[0]), std::move(pair.documents[0])});
    case Scoring::joined:
      return Prompt(TextPrompt{pair.queries[0] + pair.documents[0], true});
    case Scoring::rendered:
      return rendered_pair(pair, body, context);
    default:
      return cannot_tell(Unknown::pair_format);
  }
}

std::vector<Prompt> apart(Texts const& texts) {
  std::vector<Prompt> out;
  for (auto const* side : {&texts.queries, &texts.documents}) {
    for (std::string const& text : *side) out.emplace_back(TextPrompt{text, true});
  }
  return out;
}

}  // namespace

Outcome<Plan> plan_scoring(Value const& body, PlanContext const& context) {
  auto texts = read_texts(body);
  if (!texts) return texts.error();
  if (limits_tokens(body)) return cannot_tell(Unknown::truncation, "max_tokens_per_query or max_tokens_per_doc");
  auto const truncation = read_truncation(body);
  if (!truncation) return truncation.error();
  Plan plan;
  plan.pooling = true;
  plan.truncation = *truncation;
  if (context.model.scoring == Scoring::apart) {
    plan.prompts = apart(*texts);
    return plan;
  }
  for (std::size_t i = 0; i < texts->documents.size(); ++i) {
    std::string const& query = texts->queries[texts->queries.size() == 1 ? 0 : i];
    auto prompt = pair_prompt(Texts{{query}, {texts->documents[i]}}, body, context);
    if (!prompt) return prompt.error();
    plan.prompts.push_back(std::move(*prompt));
  }
  return plan;
}

}  // namespace kvgate::text
