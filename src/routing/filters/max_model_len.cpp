// max_model_len: drops engines whose context is clearly too short for the prompt with the tokens it asks for; engines
// of one model can be started with different lengths. Nobody left: as if absent, since the engine's own 400 says it
// better.
#include "fleet/endpoint_set.hpp"
#include "openai/request_view.hpp"
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

/// The prompt's tokens are guessed at four bytes each. Prose has more bytes a token and indented code twice as many, so
/// half the guess is what a prompt has at least: nobody is dropped that could have answered. max_tokens is exact.
bool clearly_too_short(std::uint64_t length, std::uint64_t guessed, std::uint64_t max_tokens) {
  return max_tokens > length || guessed / 2 > length - max_tokens;
}

class MaxModelLenFilter final : public EndpointFilter {
 public:
  std::string_view name() const noexcept override { return "max_model_len"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::ignore; }

  void apply(RouteContext const& context, Shortlist& shortlist) const override {
    auto const guessed = context.prompt.tokens();
    auto const max_tokens = context.request.max_tokens.value_or(0);
    shortlist.keep_if([&](Candidate const& c) {
      auto const length = c.served ? c.served->card.max_model_len : 0;
      return length == 0 || !clearly_too_short(length, guessed, max_tokens);
    });
  }
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_max_model_len() { return std::make_unique<MaxModelLenFilter>(); }

}  // namespace kvgate::routing
