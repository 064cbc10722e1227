// Counts what a thread allocates: replaces operator new in the test program that links it.
#pragma once

#include <cstdint>

namespace kvgate::test {

/// Calls of operator new by the calling thread so far.
std::uint64_t allocations() noexcept;

}  // namespace kvgate::test
