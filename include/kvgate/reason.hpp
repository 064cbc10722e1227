// Why something was decided. Codes are literals from a closed set (static storage), since they label metrics.
#pragma once

#include <cstdint>
#include <string_view>

namespace kvgate {

struct Reason {
  std::string_view code;      ///< snake_case literal; empty: no reason given
  std::int64_t got = 0;       ///< what was seen, in the unit that the code implies
  std::int64_t wanted = 0;    ///< what would have been needed
};

}  // namespace kvgate
