#include "proxy/poison_list.hpp"

#include <openssl/sha.h>

namespace kvgate::proxy {
namespace {

PoisonList::Digest digest_of(std::string_view body) {
  PoisonList::Digest digest;
  SHA256(reinterpret_cast<unsigned char const*>(body.data()), body.size(), digest.data());
  return digest;
}

}  // namespace

void PoisonList::lost(std::string_view body, Clock::time_point now) {
  auto const digest = digest_of(body);
  std::lock_guard lock(mutex_);
  forget_old(now);
  if (entries_.size() >= kMax && !entries_.contains(digest)) return;
  auto& entry = entries_[digest];
  ++entry.losses;
  entry.last = now;
  size_.store(entries_.size(), std::memory_order_relaxed);
}

bool PoisonList::is_poison(std::string_view body, Clock::time_point now) {
  if (size_.load(std::memory_order_relaxed) == 0) return false;
  auto const digest = digest_of(body);
  std::lock_guard lock(mutex_);
  forget_old(now);
  auto const found = entries_.find(digest);
  return found != entries_.end() && found->second.losses >= 2;
}

void PoisonList::forget_old(Clock::time_point now) {
  std::erase_if(entries_, [&](auto const& e) { return e.second.last + ttl_ <= now; });
  size_.store(entries_.size(), std::memory_order_relaxed);
}

}  // namespace kvgate::proxy
