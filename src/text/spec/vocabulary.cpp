#include "text/spec/vocabulary.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "base/stable_hash.hpp"

namespace kvgate::text {
namespace {

std::uint64_t load_bytes(char const* at, std::size_t count) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, at, count);
  return word;
}

// A token is looked up far more often than anybody could gain by clogging a table that is filled once from a file.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size() * 0x9e3779b97f4a7c15u;
  while (text.size() > 8) {
    hash = (hash ^ load_bytes(text.data(), 8)) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 29;
    text.remove_prefix(8);
  }
  return mixed(hash ^ load_bytes(text.data(), text.size()));
}

std::uint32_t tag_of(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash >> 32);
}

constexpr std::size_t kFewestSlots = 16;

}  // namespace

void Vocabulary::reserve(std::size_t tokens) {
  entries_.reserve(tokens);
  std::size_t const slots = std::bit_ceil(std::max(kFewestSlots, tokens + tokens / 2 + 1));
  if (slots > slots_.size()) grow(slots);
}

bool Vocabulary::insert(std::string_view token, std::uint32_t id) {
  if ((entries_.size() + 1) * 3 > slots_.size() * 2) grow(std::max(kFewestSlots, slots_.size() * 2));
  std::uint64_t const hash = hash_of(token);
  Slot& slot = slots_[slot_of(token, hash)];
  if (slot.place != 0) {
    entries_[slot.place - 1].id = id;
    return true;
  }
  if (bytes_.size() + token.size() > std::numeric_limits<std::uint32_t>::max()) return false;
  entries_.push_back({static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(token.size()), id});
  bytes_.append(token);
  slot = {tag_of(hash), static_cast<std::uint32_t>(entries_.size())};
  return true;
}

std::optional<std::uint32_t> Vocabulary::find(std::string_view token) const noexcept {
  if (slots_.empty()) return std::nullopt;
  std::uint32_t const place = slots_[slot_of(token, hash_of(token))].place;
  if (place == 0) return std::nullopt;
  return entries_[place - 1].id;
}

std::size_t Vocabulary::memory() const noexcept {
  return bytes_.capacity() + entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(Slot);
}

void Vocabulary::shrink() {
  bytes_.shrink_to_fit();
  entries_.shrink_to_fit();
}

std::size_t Vocabulary::slot_of(std::string_view token, std::uint64_t hash) const noexcept {
  std::size_t const mask = slots_.size() - 1;
  std::uint32_t const tag = tag_of(hash);
  std::size_t at = hash & mask;
  while (slots_[at].place != 0 && (slots_[at].tag != tag || text(entries_[slots_[at].place - 1]) != token)) {
    at = (at + 1) & mask;
  }
  return at;
}

void Vocabulary::grow(std::size_t slots) {
  slots_.assign(slots, {});
  std::size_t const mask = slots - 1;
  for (std::uint32_t index = 0; index < entries_.size(); ++index) {
    std::uint64_t const hash = hash_of(text(entries_[index]));
    std::size_t at = hash & mask;
    while (slots_[at].place != 0) at = (at + 1) & mask;
    slots_[at] = {tag_of(hash), index + 1};
  }
}

}  // namespace kvgate::text
