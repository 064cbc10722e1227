#include "fleet/lease.hpp"

#include <utility>

namespace kvgate::fleet {

Lease::Lease(Lease&& other) noexcept
    : endpoint_(std::move(other.endpoint_)), tokens_(std::exchange(other.tokens_, 0)) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    release();
    endpoint_ = std::move(other.endpoint_);
    tokens_ = std::exchange(other.tokens_, 0);
  }
  return *this;
}

Lease::~Lease() { release(); }

std::optional<Lease> Lease::take(std::shared_ptr<Endpoint> endpoint, std::uint64_t prefill_tokens) {
  auto const limit = endpoint->spec().max_concurrent;
  auto const before = endpoint->in_flight_.fetch_add(1, std::memory_order_relaxed);
  if (limit != 0 && before >= limit) {
    endpoint->in_flight_.fetch_sub(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  endpoint->prefill_tokens_.fetch_add(prefill_tokens, std::memory_order_relaxed);
  return Lease(std::move(endpoint), prefill_tokens);
}

void Lease::prefill_done() noexcept {
  if (tokens_ != 0) endpoint_->prefill_tokens_.fetch_sub(std::exchange(tokens_, 0), std::memory_order_relaxed);
}

void Lease::release() noexcept {
  if (!endpoint_) return;
  prefill_done();
  endpoint_->in_flight_.fetch_sub(1, std::memory_order_relaxed);
  endpoint_.reset();
}

}  // namespace kvgate::fleet
