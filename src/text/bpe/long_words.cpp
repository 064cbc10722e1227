#include "text/bpe/long_words.hpp"

#include <algorithm>
#include <cstring>

namespace kvgate::text::bpe {

std::uint64_t hash_of(std::string_view word) noexcept {
  std::uint64_t hash = word.size() * 0x9e3779b97f4a7c15u;
  auto const mix = [&hash](std::uint64_t bytes) {
    hash = (hash ^ bytes) * 0xd6e8feb86659fd93u;
    hash ^= hash >> 32;
  };
  for (; word.size() >= sizeof(std::uint64_t); word.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t bytes;
    std::memcpy(&bytes, word.data(), sizeof bytes);
    mix(bytes);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, word.data(), word.size());
  mix(rest);
  return hash;
}

std::string_view LongWords::text(std::uint32_t at) const noexcept {
  auto const* record = records_.data() + at;
  return {reinterpret_cast<char const*>(record + 2 + record[1]), record[0]};
}

std::span<std::uint32_t const> LongWords::find(std::string_view word, std::uint64_t hash) const noexcept {
  if (slots_.empty()) return {};
  auto const mask = slots_.size() - 1;
  for (auto i = hash & mask; slots_[i].at != 0; i = (i + 1) & mask) {
    if (slots_[i].hash != static_cast<std::uint32_t>(hash)) continue;
    auto const at = slots_[i].at - 1;
    if (text(at) == word) return {records_.data() + at + 2, records_[at + 1]};
  }
  return {};
}

bool LongWords::insert(std::string_view word, std::uint64_t hash, std::span<std::uint32_t const> ids) {
  if (count_ * 2 >= slots_.size()) grow();
  auto const mask = slots_.size() - 1;
  auto i = hash & mask;
  for (int probes = 0; slots_[i].at != 0; i = (i + 1) & mask) {
    if (++probes == kProbes) return false;
  }
  auto const at = records_.size();
  slots_[i] = {static_cast<std::uint32_t>(hash), static_cast<std::uint32_t>(at + 1)};
  ++count_;
  records_.push_back(static_cast<std::uint32_t>(word.size()));
  records_.push_back(static_cast<std::uint32_t>(ids.size()));
  records_.insert(records_.end(), ids.begin(), ids.end());
  auto const bytes = records_.size();
  records_.resize(bytes + (word.size() + sizeof records_[0] - 1) / sizeof records_[0]);
  std::memcpy(records_.data() + bytes, word.data(), word.size());
  return true;
}

void LongWords::grow() {
  std::vector<Slot> old(std::max<std::size_t>(64, slots_.size() * 2));
  old.swap(slots_);
  auto const mask = slots_.size() - 1;
  for (auto const& slot : old) {
    if (slot.at == 0) continue;
    std::size_t i = slot.hash & mask;
    while (slots_[i].at != 0) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

void LongWords::clear() noexcept {
  records_.clear();
  std::ranges::fill(slots_, Slot{});
  count_ = 0;
}

std::size_t LongWords::memory() const noexcept {
  return records_.size() * sizeof records_[0] + slots_.size() * sizeof slots_[0];
}

void LongWords::shrink() { records_.shrink_to_fit(); }

}  // namespace kvgate::text::bpe
