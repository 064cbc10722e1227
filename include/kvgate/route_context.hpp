// What a policy or a filter may know about the request it decides on. Valid during one decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kvgate/clock.hpp"

namespace kvgate::openai {
struct RequestView;
}
namespace kvgate::prefix {
struct PromptBlocks;
}

namespace kvgate {

/// What the request itself asks of routing, found in its head and body where the configuration says.
struct RequestKeys {
  std::optional<std::string_view> session;   ///< never empty
  bool session_secret = false;               ///< it comes from where credentials stand: not to be written anywhere
  std::optional<std::int64_t> priority;      ///< lower is more urgent, as in vLLM
  std::string_view subset;                   ///< value of the label filter's header: "name=value,name=value"
  std::string_view pin;                      ///< the engine that `?id=` names
};

/// Facts about the prompt, computed when first asked for. Used by one thread.
class PromptFacts {
 public:
  /// `scratch` receives the block hashes. The prompt is hashed for `model`: its adapter's name, or its own.
  PromptFacts(openai::RequestView const& request, std::string_view model, prefix::PromptBlocks& scratch) noexcept;

  /// A replay knows these instead of the prompt.
  struct Recorded {
    std::uint64_t tokens = 1;
    std::uint64_t simhash = 0;
  };
  PromptFacts(openai::RequestView const& request, Recorded recorded) noexcept;

  /// These are the prompt's tokens as every engine of the model will see them: from here on what is asked is about them.
  /// `ids` lasts as long as this; before anything is asked.
  void tokenized(std::span<std::uint32_t const> ids) noexcept { ids_ = ids; }
  bool is_tokenized() const noexcept { return !ids_.empty(); }

  /// Prompt length in tokens; guessed where they are not known: four bytes of text a token, ids that came as numbers
  /// counted. At least 1.
  std::uint64_t tokens();
  /// Chained hashes of the prompt's blocks (prefix/prompt_text.hpp), of tokens where they are known, else of text; empty in
  /// a replay.
  std::span<std::uint64_t const> blocks();
  /// Bytes of text that the blocks were cut from; a known token counts four.
  std::uint64_t text_bytes();
  /// SimHash of the prompt's beginning, equal on every replica.
  std::uint64_t simhash(std::size_t max_bytes);

 private:
  prefix::PromptBlocks const& hashed();

  openai::RequestView const& request_;
  std::string_view model_;
  prefix::PromptBlocks* scratch_;
  bool hashed_ = false;
  std::span<std::uint32_t const> ids_;
  std::optional<Recorded> recorded_;
};

struct RouteContext {
  openai::RequestView const& request;
  PromptFacts& prompt;
  RequestKeys const& keys;
  std::string_view model;          ///< the model the request is routed for (its own, or the one it stands for)
  Clock::time_point now;
  std::uint64_t entropy = 0;       ///< uniformly random; the only randomness a decision may use
};

}  // namespace kvgate
