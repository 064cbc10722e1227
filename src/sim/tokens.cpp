#include "sim/tokens.hpp"

#include <algorithm>

namespace kvgate::sim {
namespace {

constexpr std::size_t kBytesPerToken = 4;

// FNV-1a over 32-bit words, finished by a multiply-shift so that neighbouring tokens spread over all bits.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x100000001b3ULL;
  return hash ^ (hash >> 29U);
}

}  // namespace

Tokens tokenize(std::string_view text) {
  Tokens tokens;
  tokens.reserve((text.size() + kBytesPerToken - 1) / kBytesPerToken);
  for (std::size_t at = 0; at < text.size(); at += kBytesPerToken) {
    std::uint32_t id = 0;
    for (unsigned char const byte : text.substr(at, kBytesPerToken)) id = (id << 8U) | byte;
    tokens.push_back(id);
  }
  return tokens;
}

std::string detokenize(std::span<std::uint32_t const> tokens) {
  std::string text;
  for (auto const id : tokens) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      auto const rest = id >> static_cast<unsigned>(shift);
      if (rest != 0) text.push_back(static_cast<char>(rest & 0xffU));
    }
  }
  return text;
}

std::vector<std::uint64_t> block_hashes(std::span<std::uint32_t const> tokens, std::uint32_t block_size,
                                        std::string_view salt) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (unsigned char const byte : salt) hash = mix(hash, byte);
  std::vector<std::uint64_t> hashes;
  hashes.reserve(tokens.size() / block_size);
  for (; tokens.size() >= block_size; tokens = tokens.subspan(block_size)) {
    for (auto const id : tokens.first(block_size)) hash = mix(hash, id);
    hashes.push_back(hash);
  }
  return hashes;
}

}  // namespace kvgate::sim
