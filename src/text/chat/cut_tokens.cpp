#include "text/chat/cut_tokens.hpp"

#include <algorithm>

namespace kvgate::text {

CutTokens::CutTokens(Tokenizer const& tokenizer) {
  for (std::string_view token : tokenizer.cut_tokens()) {
    if (token.empty()) continue;
    tokens_.emplace(token);
    is_last_byte_[static_cast<unsigned char>(token.back())] = true;
    if (std::ranges::find(lengths_, token.size()) == lengths_.end()) lengths_.push_back(token.size());
  }
}

std::size_t CutTokens::last_end(std::string_view text) const {
  std::string candidate;
  for (std::size_t end = text.size(); end > 0; --end) {
    if (!is_last_byte_[static_cast<unsigned char>(text[end - 1])]) continue;
    for (std::size_t length : lengths_) {
      if (length > end) continue;
      candidate.assign(text, end - length, length);
      if (tokens_.contains(candidate)) return end;
    }
  }
  return 0;
}

}  // namespace kvgate::text
