// The arithmetic below the hashes: 64 by 64 bit multiplication, folded. Little-endian whatever the machine is.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace kvgate::prefix {

// The first 64 bits of the fractional parts of the square roots of the first primes.
inline constexpr std::uint64_t kRoots[] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1, 0x510e527fade682d1,
    0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179, 0xcbbb9d5dc1059ed8, 0x629a292a367cd507};

/// Swaps the bytes of a number where that machine has the highest first; its own inverse.
template <class Number>
constexpr Number little_endian(Number number) noexcept {
  if constexpr (std::endian::native == std::endian::little) return number;
  return sizeof number == 8 ? __builtin_bswap64(number) : __builtin_bswap32(number);
}

inline std::uint64_t load64(char const* data) noexcept {
  std::uint64_t word;
  std::memcpy(&word, data, sizeof word);
  return little_endian(word);
}

/// Both halves of the product, so that every bit of the result depends on every bit of both factors. A factor of zero
/// loses the other one; mixed with a root first, that takes 2^64 tries, or malice, which gains a wrong guess.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  auto const product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace kvgate::prefix
