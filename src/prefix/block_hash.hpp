// What names a block of a prompt everywhere in the gate.
#pragma once

#include <cstdint>

namespace kvgate::prefix {

/// Names a block together with all that stands before it. The same in every process and on every machine.
using BlockHash = std::uint64_t;

}  // namespace kvgate::prefix
