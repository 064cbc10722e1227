#include "text/chat/render_chat.hpp"

#include <algorithm>

#include "text/chat/continue_message.hpp"
#include "text/chat/conversation.hpp"

namespace kvgate::text {
namespace {

using jinja::Arena;

// Stand where the first image is, in two renderings that differ from there on. Plain words: templates must not take
// them for anything.
constexpr std::string_view kFirstMarker = "0 media";
constexpr std::string_view kSecondMarker = "1 media";

Stop stop_of(jinja::TemplateError const& error) {
  using jinja::Failure;
  bool const ours = error.failure == Failure::unsupported || error.failure == Failure::limit_reached;
  return ours ? cannot_tell(Unknown::chat_template, error.message) : refused(error.message);
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  auto const [end, other] = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(end - a.begin());
}

/// Renders one request, as often as it takes.
class ChatRenderer {
 public:
  ChatRenderer(ChatRequest const& request, ChatTemplates const& model, Arena& arena)
      : request_(request), model_(model), arena_(arena) {}

  /// Chooses the template and merges the variables.
  Outcome<void> prepare() {
    auto input = template_input(request_, model_, arena_);
    if (!input) return input.error();
    input_ = *input;
    chosen_ = model_.choose(!input_.tools.is_none());
    if (chosen_ == nullptr) return cannot_tell(Unknown::no_template);
    if (request_.messages.empty()) return refused("Cannot apply chat template to an empty conversation.");
    return {};
  }

  Outcome<Value> messages(Media& media) const {
    auto const made = conversation(request_.messages, chosen_->format, media, arena_);
    if (!made) return made;
    return for_developer_role(*made, chosen_->source, arena_);
  }

  Outcome<Value> globals(Value const& messages) const {
    return template_globals(input_, messages, model_, *chosen_, arena_);
  }

  Outcome<std::string> render(Media& media, jinja::RenderOptions const& options) const {
    auto const messages = this->messages(media);
    if (!messages) return messages.error();
    if (!input_.continue_final_message) return render(*messages, options);
    auto const tagged = with_tag(*messages, chosen_->source, arena_);
    if (!tagged) return tagged.error();
    auto rendered = render(tagged->messages, options);
    if (!rendered) return rendered;
    auto const cut = cut_at_tag(*rendered, tagged->final_text);
    if (!cut) return cut.error();
    return rendered;
  }

  jinja::ContentFormat format() const { return chosen_->format; }

 private:
  Outcome<std::string> render(Value const& messages, jinja::RenderOptions const& options) const {
    auto const variables = globals(messages);
    if (!variables) return variables.error();
    auto rendered = chosen_->compiled.render(*variables, options);
    if (!rendered) return stop_of(rendered.error());
    return std::move(*rendered);
  }

  ChatRequest const& request_;
  ChatTemplates const& model_;
  Arena& arena_;
  TemplateInput input_;
  ChatTemplate const* chosen_ = nullptr;
};

/// Cuts `text` where it begins to depend on the first image, audio or video.
Outcome<void> cut_before_media(ChatRenderer const& renderer, jinja::RenderOptions const& options, std::string& text) {
  Media first{.hashes = {}, .marker = kFirstMarker};
  Media second{.hashes = {}, .marker = kSecondMarker};
  auto const one = renderer.render(first, options);
  auto const other = renderer.render(second, options);
  if (!one || !other) return cannot_tell(Unknown::media);
  std::size_t certain = common_prefix(*one, *other);
  // As text, what stands for an image depends on the model's code; as a part, the template has seen it.
  if (renderer.format() == jinja::ContentFormat::openai) certain = std::min(certain, common_prefix(*one, text));
  text = one->substr(0, certain);
  return {};
}

}  // namespace

Outcome<RenderedChat> render_chat(ChatRequest const& request, ChatTemplates const& model,
                                  jinja::RenderOptions const& options, jinja::Arena& arena) {
  ChatRenderer renderer(request, model, arena);
  auto done = renderer.prepare();
  if (!done) return done.error();
  Media media;
  auto text = renderer.render(media, options);
  if (!text) return text.error();
  if (!media.hashes.empty()) done = cut_before_media(renderer, options, *text);
  if (!done) return done.error();
  return RenderedChat{std::move(*text), std::move(media.hashes)};
}

Outcome<Value> explain_input(ChatRequest const& request, ChatTemplates const& model, jinja::Arena& arena) {
  ChatRenderer renderer(request, model, arena);
  auto const ready = renderer.prepare();
  if (!ready) return ready.error();
  Media media;
  auto const messages = renderer.messages(media);
  if (!messages) return messages;
  return renderer.globals(*messages);
}

}  // namespace kvgate::text
