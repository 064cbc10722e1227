#include "fleet/lease.hpp"

#include <algorithm>
#include <utility>

namespace kvgate::fleet {

Lease::Lease(Lease&& other) noexcept
    : endpoint_(std::move(other.endpoint_)), tokens_(other.tokens_), taken_(other.taken_),
      prefilling_(std::exchange(other.prefilling_, false)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    endpoint_ = std::move(other.endpoint_);
    tokens_ = other.tokens_;
    taken_ = other.taken_;
    prefilling_ = std::exchange(other.prefilling_, false);
  }
  return *this;
}

Lease::~Lease() { release(); }

std::optional<Lease> Lease::take(std::shared_ptr<Endpoint> endpoint, std::uint64_t prefill_tokens,
                                 Clock::time_point now) {
  auto const limit = endpoint->spec().max_concurrent;
  auto const before = endpoint->in_flight_.fetch_add(1, std::memory_order_relaxed);
  if (limit != 0 && before >= limit) {
    endpoint->in_flight_.fetch_sub(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  endpoint->prefill_tokens_.fetch_add(prefill_tokens, std::memory_order_relaxed);
  if (endpoint->prefills_.fetch_add(1, std::memory_order_relaxed) == 0)
    endpoint->prefill_since_.store(now, std::memory_order_relaxed);
  return Lease(std::move(endpoint), prefill_tokens, now);
}

Clock::duration Lease::prefill_done(Clock::time_point now) noexcept {
  if (!prefilling_) return {};
  auto const since = endpoint_->prefill_since_.exchange(now, std::memory_order_relaxed);
  give_back_prefill();
  return now - std::max(since, taken_);
}

void Lease::give_back_prefill() noexcept {
  endpoint_->prefill_tokens_.fetch_sub(tokens_, std::memory_order_relaxed);
  endpoint_->prefills_.fetch_sub(1, std::memory_order_relaxed);
  prefilling_ = false;
}

void Lease::release() noexcept {
  if (!endpoint_) return;
  if (prefilling_) give_back_prefill();
  endpoint_->in_flight_.fetch_sub(1, std::memory_order_relaxed);
  endpoint_.reset();
}

}  // namespace kvgate::fleet
