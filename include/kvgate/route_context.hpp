// What a policy or a filter may know about the request it decides on. Valid during one decision.
#pragma once

#include <cstdint>
#include <string_view>

#include "kvgate/clock.hpp"

namespace kvgate::openai {
struct RequestView;
}

namespace kvgate {

/// Facts about the prompt, computed when first asked for.
class PromptFacts {
 public:
  explicit PromptFacts(openai::RequestView const& request) : request_(request) {}

  /// Prompt length in tokens, guessed from its JSON bytes (4 bytes a token); at least 1.
  std::uint64_t estimated_tokens() const noexcept;

 private:
  openai::RequestView const& request_;
};

struct RouteContext {
  openai::RequestView const& request;
  PromptFacts& prompt;
  std::string_view model;          ///< the model the request is routed for (its own, or the one it stands for)
  Clock::time_point now;
  std::uint64_t entropy = 0;       ///< uniformly random; the only randomness a decision may use
};

}  // namespace kvgate
