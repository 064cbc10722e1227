// Vectors for large tables that are read at random: on huge pages where the kernel gives them, since translating
// addresses would cost as much as reading.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace kvgate::text::bpe {

template <class T>
struct HugeAllocator {
  using value_type = T;

  static constexpr std::size_t kPage = std::size_t{2} << 20;

  HugeAllocator() = default;
  template <class U>
  HugeAllocator(HugeAllocator<U> const&) noexcept {}

  T* allocate(std::size_t count) {
    auto const bytes = count * sizeof(T);
    auto* const memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= kPage / 2) ::madvise(memory, bytes, MADV_HUGEPAGE);  // refused: small pages do as well
    return static_cast<T*>(memory);
  }

  void deallocate(T* memory, std::size_t count) noexcept { ::operator delete(memory, alignment(count * sizeof(T))); }

  bool operator==(HugeAllocator const&) const = default;

 private:
  static std::align_val_t alignment(std::size_t bytes) noexcept {
    return std::align_val_t{bytes >= kPage / 2 ? kPage : alignof(T) > 16 ? alignof(T) : 16};
  }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

}  // namespace kvgate::text::bpe
