#include "text/jinja/dict.hpp"

#include <algorithm>
#include <cstring>

#include "text/jinja/compare.hpp"
#include "text/jinja/hash.hpp"

namespace kvgate::jinja {
namespace {

constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
constexpr std::uint32_t kSearchedLinearly = 12;

}  // namespace

Dict* Dict::create(Arena& arena, std::size_t expected) {
  Dict* dict = arena.create<Dict>();
  if (expected > 0) {
    dict->entries_ = arena.allocate_array<Entry>(expected);
    dict->capacity_ = static_cast<std::uint32_t>(expected);
  }
  return dict;
}

void Dict::set(Arena& arena, Value key, Value value) {
  std::uint32_t const at = find_at(key);
  if (at != kNone) {
    entries_[at].value = value;
    return;
  }
  if (size_ == capacity_) grow(arena);
  entries_[size_++] = {key, value};
  if (size_ <= kSearchedLinearly) return;
  if (!index_ || size_ > index_mask_ / 2) {
    rebuild_index(arena);
  } else {
    index_entry(size_ - 1);
  }
}

Value const* Dict::find(std::string_view key) const noexcept {
  std::uint32_t const at = find_text(key);
  return at == kNone ? nullptr : &entries_[at].value;
}

Value const* Dict::find(Value key) const {
  std::uint32_t const at = find_at(key);
  return at == kNone ? nullptr : &entries_[at].value;
}

std::uint32_t Dict::find_at(Value key) const {
  if (key.is_string()) return find_text(key.text());
  if (!index_) {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (equal(entries_[i].key, key)) return i;
    }
    return kNone;
  }
  for (std::uint64_t slot = hash_of(key);; ++slot) {
    std::uint32_t const at = index_[slot & index_mask_];
    if (at == 0) return kNone;
    if (equal(entries_[at - 1].key, key)) return at - 1;
  }
}

std::uint32_t Dict::find_text(std::string_view key) const noexcept {
  auto const matches = [this, key](std::uint32_t at) {
    return entries_[at].key.is_string() && entries_[at].key.text() == key;
  };
  if (!index_) {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (matches(i)) return i;
    }
    return kNone;
  }
  for (std::uint64_t slot = hash_of(key);; ++slot) {
    std::uint32_t const at = index_[slot & index_mask_];
    if (at == 0) return kNone;
    if (matches(at - 1)) return at - 1;
  }
}

void Dict::grow(Arena& arena) {
  std::uint32_t const capacity = std::max<std::uint32_t>(4, capacity_ * 2);
  Entry* entries = arena.allocate_array<Entry>(capacity);
  std::copy(entries_, entries_ + size_, entries);
  entries_ = entries;
  capacity_ = capacity;
}

void Dict::rebuild_index(Arena& arena) {
  std::uint32_t const slots = std::max<std::uint32_t>(64, (index_mask_ + 1) * 2);
  index_ = arena.allocate_array<std::uint32_t>(slots);
  std::memset(index_, 0, slots * sizeof(std::uint32_t));
  index_mask_ = slots - 1;
  for (std::uint32_t i = 0; i < size_; ++i) index_entry(i);
}

void Dict::index_entry(std::uint32_t at) {
  std::uint64_t slot = hash_of(entries_[at].key);
  while (index_[slot & index_mask_] != 0) ++slot;
  index_[slot & index_mask_] = at + 1;
}

Value Value::get(std::string_view key) const noexcept {
  Value const* found = is_dict() ? dict_->find(key) : nullptr;
  return found ? *found : Value();
}

}  // namespace kvgate::jinja
