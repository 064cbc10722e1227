// Hashes that are equal in every process, on every replica and in every version: what they place stays where it is.
#pragma once

#include <cstdint>
#include <string_view>

namespace kvgate {

/// Spreads each bit over all of them (the finaliser of splitmix64). A bijection.
constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// FNV-1a, mixed: for short texts (URLs, session keys). Who chooses the text can choose the hash: not for tables that a
/// client must not be able to clog.
constexpr std::uint64_t stable_hash(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return mixed(hash);
}

}  // namespace kvgate
