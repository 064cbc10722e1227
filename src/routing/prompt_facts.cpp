#include <algorithm>

#include "kvgate/route_context.hpp"
#include "openai/request_view.hpp"

namespace kvgate {

std::uint64_t PromptFacts::estimated_tokens() const noexcept {
  return std::max<std::uint64_t>(1, (request_.prompt.size() + request_.messages.size()) / 4);
}

}  // namespace kvgate
