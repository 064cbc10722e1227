// How a tokenizer joins two texts: the post-processor of a tokenizer.json, for pairs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "kvgate/error.hpp"

namespace kvgate::text {

/// What stands around and between the two texts, in order. Immutable.
struct PairFormat {
  struct Piece {
    enum class Kind { first, second, special } kind = Kind::special;
    std::uint32_t id = 0;  ///< of a special token
  };
  std::vector<Piece> pieces;
};

/// Errors (bad_request): not JSON, or a post-processor that is not known.
Result<PairFormat> parse_pair_format(std::string_view tokenizer_json);

}  // namespace kvgate::text
