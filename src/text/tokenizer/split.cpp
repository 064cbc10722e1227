// What a delimiter does to the text around it.
#include <algorithm>

#include "text/tokenizer/pre_tokenizer.hpp"

namespace kvgate::text {
namespace {

/// Stretches of one kind become one.
void join_equal(std::vector<Stretch> const& stretches, std::vector<Stretch>& merged) {
  bool last = false;
  for (Stretch const& stretch : stretches) {
    if (stretch.is_match == last && !merged.empty()) {
      merged.back().end = stretch.end;
    } else {
      merged.push_back(stretch);
    }
    last = stretch.is_match;
  }
}

/// A match joins what stands before it, unless that is a match too.
void join_previous(std::vector<Stretch> const& stretches, std::vector<Stretch>& merged) {
  bool last = false;
  for (Stretch const& stretch : stretches) {
    if (stretch.is_match && !last && !merged.empty()) {
      merged.back().end = stretch.end;
    } else {
      merged.push_back(stretch);
    }
    last = stretch.is_match;
  }
}

/// The same from the other side.
void join_next(std::vector<Stretch> const& stretches, std::vector<Stretch>& merged) {
  bool last = false;
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
    if (stretch->is_match && !last && !merged.empty()) {
      merged.back().begin = stretch->begin;
    } else {
      merged.push_back(*stretch);
    }
    last = stretch->is_match;
  }
  std::reverse(merged.begin(), merged.end());
}

}  // namespace

void split_piece(Piece const& piece, std::vector<Stretch> const& stretches, SplitBehavior behavior,
                 std::vector<Stretch>& merged, std::vector<Piece>& out) {
  merged.clear();
  switch (behavior) {
    case SplitBehavior::contiguous:
      join_equal(stretches, merged);
      break;
    case SplitBehavior::merged_with_previous:
      join_previous(stretches, merged);
      break;
    case SplitBehavior::merged_with_next:
      join_next(stretches, merged);
      break;
    default:
      break;
  }
  bool const as_found = behavior == SplitBehavior::removed || behavior == SplitBehavior::isolated;
  for (Stretch const& part : as_found ? stretches : merged) {
    bool const dropped = behavior == SplitBehavior::removed && part.is_match;
    if (!dropped && part.begin < part.end) out.push_back(piece.part(part.begin, part.end));
  }
}

}  // namespace kvgate::text
