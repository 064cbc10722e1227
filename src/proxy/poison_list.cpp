#include "proxy/poison_list.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

namespace kvgate::proxy {
namespace {

void add(EVP_MD_CTX* context, std::string_view bytes) { EVP_DigestUpdate(context, bytes.data(), bytes.size()); }

}  // namespace

std::optional<PoisonList::Digest> PoisonList::digest_of(Subject const& subject) {
  if (subject.body.empty()) return std::nullopt;
  Digest digest;
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> const context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  add(context.get(), subject.target);
  add(context.get(), std::string_view("\0", 1));
  add(context.get(), subject.body);
  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
  return digest;
}

void PoisonList::lost(Digest const& digest, std::uint64_t engine, Clock::time_point now) {
  std::lock_guard lock(mutex_);
  forget_old(now);
  if (entries_.size() >= kMax && !entries_.contains(digest)) return;
  auto& entry = entries_[digest];
  if (std::ranges::find(entry.engines, engine) == entry.engines.end()) entry.engines.push_back(engine);
  entry.last = now;
  size_.store(entries_.size(), std::memory_order_relaxed);
}

bool PoisonList::is_poison(Subject const& subject, Clock::time_point now) {
  if (size_.load(std::memory_order_relaxed) == 0) return false;
  auto const digest = digest_of(subject);
  return digest && is_poison(*digest, now);
}

bool PoisonList::is_poison(Digest const& digest, Clock::time_point now) {
  std::lock_guard lock(mutex_);
  forget_old(now);
  auto const found = entries_.find(digest);
  return found != entries_.end() && found->second.engines.size() >= 2;
}

void PoisonList::forget_old(Clock::time_point now) {
  std::erase_if(entries_, [&](auto const& e) { return e.second.last + ttl_ <= now; });
  size_.store(entries_.size(), std::memory_order_relaxed);
}

}  // namespace kvgate::proxy
