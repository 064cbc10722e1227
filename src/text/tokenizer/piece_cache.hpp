// What short pieces of text came to, lately.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/stable_hash.hpp"

namespace kvgate::text {

/// A table of fixed size in which a newer piece takes the place of an older one. One thread at a time; of one model.
class PieceCache {
 public:
  /// Appends what is known of the piece.
  bool find(std::string_view piece, std::vector<std::uint32_t>& out) const {
    if (piece.size() > kLongest || lines_.empty()) return false;
    Line const& line = lines_[place(piece)];
    if (line.length != piece.size() || std::memcmp(line.bytes, piece.data(), piece.size()) != 0) return false;
    out.insert(out.end(), line.ids, line.ids + line.count);
    return true;
  }

  void keep(std::string_view piece, std::span<std::uint32_t const> ids) {
    if (piece.size() > kLongest || piece.empty() || ids.size() > kMostIds) return;
    if (lines_.empty()) lines_.resize(kLines);
    Line& line = lines_[place(piece)];
    line.length = static_cast<std::uint8_t>(piece.size());
    line.count = static_cast<std::uint8_t>(ids.size());
    std::memcpy(line.bytes, piece.data(), piece.size());
    std::copy(ids.begin(), ids.end(), line.ids);
  }

 private:
  static constexpr std::size_t kLongest = 30;
  static constexpr std::size_t kMostIds = 8;
  static constexpr std::size_t kLines = std::size_t{1} << 15;  // 2 MB

  struct alignas(64) Line {
    std::uint8_t length = 0;  ///< 0: free
    std::uint8_t count = 0;
    char bytes[kLongest];
    std::uint32_t ids[kMostIds];
  };

  /// Who chooses texts can make pieces push each other out; that costs the speed of the cache, no more.
  static std::size_t place(std::string_view piece) noexcept {
    std::uint64_t words[4] = {};
    std::memcpy(words, piece.data(), piece.size());
    std::uint64_t const hash = (words[0] ^ piece.size()) * 0x9e3779b97f4a7c15u + words[1] * 0xbf58476d1ce4e5b9u +
                               words[2] * 0x94d049bb133111ebu + words[3] * 0xd6e8feb86659fd93u;
    return mixed(hash) % kLines;
  }

  std::vector<Line> lines_;
};

}  // namespace kvgate::text
