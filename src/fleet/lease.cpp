#include "fleet/lease.hpp"

#include <algorithm>
#include <utility>

namespace kvgate::fleet {

Lease::Lease(Lease&& other) noexcept
    : endpoint_(std::move(other.endpoint_)), prefill_(other.prefill_), taken_(other.taken_),
      prefilling_(std::exchange(other.prefilling_, false)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    endpoint_ = std::move(other.endpoint_);
    prefill_ = other.prefill_;
    taken_ = other.taken_;
    prefilling_ = std::exchange(other.prefilling_, false);
  }
  return *this;
}

Lease::~Lease() { release(); }

std::optional<Lease> Lease::take(std::shared_ptr<Endpoint> endpoint, Prefill prefill, Clock::time_point now) {
  auto const limit = endpoint->spec().max_concurrent;
  auto const before = endpoint->in_flight_.fetch_add(1, std::memory_order_relaxed);
  if (limit != 0 && before >= limit) {
    endpoint->in_flight_.fetch_sub(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  endpoint->prefill_tokens_.fetch_add(prefill.tokens, std::memory_order_relaxed);
  endpoint->queue_prefill(prefill.tokens, now);
  if (prefill.told) {
    endpoint->told_tokens_.fetch_add(prefill.tokens, std::memory_order_relaxed);
    if (endpoint->prefills_.fetch_add(1, std::memory_order_relaxed) == 0)
      endpoint->prefill_since_.store(now, std::memory_order_relaxed);
  }
  return Lease(std::move(endpoint), prefill, now);
}

Clock::duration Lease::prefill_done(Clock::time_point now) noexcept {
  if (!prefilling_) return {};
  give_back_prefill();
  if (!prefill_.told) return {};
  return now - std::max(endpoint_->prefill_since_.exchange(now, std::memory_order_relaxed), taken_);
}

void Lease::give_back_prefill() noexcept {
  prefilling_ = false;
  endpoint_->prefill_tokens_.fetch_sub(prefill_.tokens, std::memory_order_relaxed);
  if (!prefill_.told) return;
  endpoint_->told_tokens_.fetch_sub(prefill_.tokens, std::memory_order_relaxed);
  endpoint_->prefills_.fetch_sub(1, std::memory_order_relaxed);
}

void Lease::release() noexcept {
  if (!endpoint_) return;
  if (prefilling_) give_back_prefill();
  endpoint_->in_flight_.fetch_sub(1, std::memory_order_relaxed);
  endpoint_.reset();
}

}  // namespace kvgate::fleet
