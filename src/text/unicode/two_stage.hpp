// A value for each code point in little memory: equal blocks of 128 are kept once.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace kvgate::text {

template <class T>
class TwoStage {
 public:
  static constexpr std::size_t kCodePoints = 0x110000;
  static constexpr std::size_t kBlock = 128;

  TwoStage() = default;

  /// `flat` has a value for each of the code points.
  explicit TwoStage(std::vector<T> const& flat) : block_of_(kCodePoints / kBlock) {
    std::map<std::vector<T>, std::uint16_t> seen;
    for (std::size_t block = 0; block < block_of_.size(); ++block) {
      auto const begin = flat.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
      std::vector<T> values(begin, begin + kBlock);
      auto const [entry, is_new] = seen.emplace(std::move(values), static_cast<std::uint16_t>(seen.size()));
      if (is_new) values_.insert(values_.end(), entry->first.begin(), entry->first.end());
      block_of_[block] = entry->second;
    }
  }

  /// `c` must be at most U+10FFFF.
  T operator[](char32_t c) const noexcept { return values_[std::size_t{block_of_[c / kBlock]} * kBlock + c % kBlock]; }

 private:
  std::vector<std::uint16_t> block_of_;
  std::vector<T> values_;
};

}  // namespace kvgate::text
