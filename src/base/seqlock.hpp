// A small value that one thread replaces now and then and many read all the time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <type_traits>

namespace kvgate {

/// Readers never write to shared memory, so they do not slow each other down; they see one whole value, never a mix of
/// two. store() needs one writer at a time. The words are atomics, so that no access is a data race.
template <class T>
class SeqLock {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SeqLock() { store(T{}); }

  void store(T const& value) noexcept {
    Words words{};
    std::memcpy(words.data(), static_cast<void const*>(&value), sizeof(T));
    auto const turn = turn_.load(std::memory_order_relaxed);
    turn_.store(turn + 1, std::memory_order_relaxed);
    // Release: whoever sees a word of the new value sees the odd turn as well.
    for (std::size_t i = 0; i < words.size(); ++i) words_[i].store(words[i], std::memory_order_release);
    turn_.store(turn + 2, std::memory_order_release);
  }

  T load() const noexcept {
    for (;;) {
      auto const before = turn_.load(std::memory_order_acquire);
      Words words;
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = words_[i].load(std::memory_order_acquire);
      if (before % 2 == 0 && turn_.load(std::memory_order_relaxed) == before) return value_of(words);
      std::this_thread::yield();  // the writer may have been preempted half-way
    }
  }

 private:
  using Words = std::array<std::uint64_t, (sizeof(T) + 7) / 8>;

  /// Word by word: a wider load of what was just stored in words would wait until that has left the store buffer.
  static T value_of(Words const& words) noexcept {
    T value;
    auto* const to = reinterpret_cast<std::byte*>(&value);
    for (std::size_t at = 0; at < sizeof(T); at += 8)
      std::memcpy(to + at, &words[at / 8], std::min<std::size_t>(sizeof(T) - at, 8));
    return value;
  }

  std::atomic<std::uint32_t> turn_{0};  // odd while a store is under way
  std::array<std::atomic<std::uint64_t>, (sizeof(T) + 7) / 8> words_{};
};

}  // namespace kvgate
