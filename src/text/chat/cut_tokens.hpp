// Where a text can be cut so that the ids before do not depend on what follows.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "text/tokenizer/tokenizer.hpp"

namespace kvgate::text {

/// The tokens behind which a tokenizer treats the rest of a text alone. Immutable.
class CutTokens {
 public:
  CutTokens() = default;
  explicit CutTokens(Tokenizer const& tokenizer);

  /// Bytes up to the end of the last of them in `text`; 0: there is none.
  std::size_t last_end(std::string_view text) const;

 private:
  std::unordered_set<std::string> tokens_;
  std::vector<std::size_t> lengths_;      ///< that occur, each once
  std::array<bool, 256> is_last_byte_{};  ///< of any token
};

}  // namespace kvgate::text
