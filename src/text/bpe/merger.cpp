#include "text/bpe/merger.hpp"

#include <algorithm>
#include <functional>

namespace kvgate::text::bpe {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

template <class T>
void release(std::vector<T>& items) {
  std::vector<T>().swap(items);
}

}  // namespace

std::uint32_t* Merger::symbols(std::size_t count) {
  if (symbols_.capacity() > kKept && count <= kKept) {
    release(symbols_);
    release(nodes_);
    release(heap_);
  }
  if (symbols_.size() < count) symbols_.resize(count);
  return symbols_.data();
}

std::size_t Merger::merge(PairTable const& pairs, std::size_t count) {
  if (count < 2) return count;
  link(count);
  queue_all(pairs, count);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, std::greater{});
    auto const best = heap_.back();
    heap_.pop_back();
    take(pairs, best);
  }
  return collect();
}

void Merger::link(std::size_t count) {
  nodes_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) nodes_[i] = {symbols_[i], i - 1, i + 1};
  nodes_.back().next = kNobody;
}

void Merger::queue_all(PairTable const& pairs, std::size_t count) {
  heap_.clear();
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    auto const rank = pairs.rank(symbols_[i], symbols_[i + 1]);
    if (rank != PairTable::kNone) heap_.push_back(Candidate{rank} << 32 | i);
  }
  std::ranges::make_heap(heap_, std::greater{});
}

void Merger::queue(PairTable const& pairs, std::uint32_t left) {
  auto const right = nodes_[left].next;
  if (right == kNobody) return;
  auto const rank = pairs.rank(nodes_[left].id, nodes_[right].id);
  if (rank == PairTable::kNone) return;
  heap_.push_back(Candidate{rank} << 32 | left);
  std::ranges::push_heap(heap_, std::greater{});
}

void Merger::take(PairTable const& pairs, Candidate best) {
  auto const rank = static_cast<Rank>(best >> 32);
  auto const left = static_cast<std::uint32_t>(best);
  auto& node = nodes_[left];
  if (node.id == kNobody || node.next == kNobody) return;
  // Symbols have changed since the pair was queued: what they are now is queued as well.
  if (pairs.rank(node.id, nodes_[node.next].id) != rank) return;
  auto& gone = nodes_[node.next];
  node.id = pairs.merged(rank);
  node.next = gone.next;
  gone.id = kNobody;
  if (node.next != kNobody) nodes_[node.next].previous = left;
  if (left > 0) queue(pairs, node.previous);
  queue(pairs, left);
}

std::size_t Merger::collect() noexcept {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i != kNobody; i = nodes_[i].next) symbols_[count++] = nodes_[i].id;
  return count;
}

}  // namespace kvgate::text::bpe
