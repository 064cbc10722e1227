#include "prefix/read_section.hpp"

#include <atomic>

namespace kvgate::prefix {
namespace {

/// One per thread that ever read. Never freed, since writers walk the list at any time; taken over by later threads.
struct alignas(64) Reader {
  std::atomic<std::uint64_t> since{0};  // the clock when its section began, 0 outside of one
  std::atomic<bool> taken{true};
  Reader* next = nullptr;
};

std::atomic<std::uint64_t> section_clock{1};
std::atomic<Reader*> all_readers{nullptr};

Reader* take_over() noexcept {
  for (auto* reader = all_readers.load(); reader != nullptr; reader = reader->next) {
    if (!reader->taken.load() && !reader->taken.exchange(true)) return reader;
  }
  return nullptr;
}

Reader* enlist() noexcept {
  auto* const reader = new Reader;
  reader->next = all_readers.load();
  while (!all_readers.compare_exchange_weak(reader->next, reader)) {
  }
  return reader;
}

struct ThreadReader {
  Reader* const reader;
  ThreadReader() noexcept
      : reader([] {
          auto* const old = take_over();
          return old != nullptr ? old : enlist();
        }()) {}
  ~ThreadReader() { reader->taken.store(false); }
};

Reader& own_reader() noexcept {
  thread_local ThreadReader const mine;
  return *mine.reader;
}

}  // namespace

// All sequentially consistent: either the writer sees this store, or the reader sees what the writer published before.
ReadSection::ReadSection() noexcept {
  own_reader().since.store(section_clock.load());
}

ReadSection::~ReadSection() {
  own_reader().since.store(0, std::memory_order_release);
}

std::uint64_t retirement_mark() noexcept {
  return section_clock.fetch_add(1) + 1;
}

bool all_readers_passed(std::uint64_t mark) noexcept {
  for (auto* reader = all_readers.load(); reader != nullptr; reader = reader->next) {
    auto const since = reader->since.load();
    if (since != 0 && since < mark) return false;
  }
  return true;
}

}  // namespace kvgate::prefix
