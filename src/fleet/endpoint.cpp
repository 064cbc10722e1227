#include "fleet/endpoint.hpp"

#include <algorithm>

#include "base/stable_hash.hpp"

namespace kvgate::fleet {

std::string_view to_string(Health health) noexcept {
  switch (health) {
    case Health::up: return "up";
    case Health::suspect: return "suspect";
    case Health::down: return "down";
    case Health::unknown: break;
  }
  return "unknown";
}

Endpoint::Endpoint(EndpointId id, EngineSpec spec, std::uint32_t metrics_id, std::shared_ptr<prefix::Budget> memory)
    : id_(std::move(id)), spec_(std::move(spec)), metrics_id_(metrics_id), url_hash_(stable_hash(id_.url)),
      addresses_(std::make_shared<std::vector<SocketAddress> const>()), cached_blocks_(std::move(memory)) {
  if (auto literal = address_of_literal(spec_.url.host, spec_.url.port)) set_addresses({*literal});
}

std::shared_ptr<std::vector<SocketAddress> const> Endpoint::addresses() const {
  std::lock_guard lock(address_mutex_);
  return addresses_;
}

void Endpoint::set_addresses(std::vector<SocketAddress> addresses) {
  auto next = std::make_shared<std::vector<SocketAddress> const>(std::move(addresses));
  std::lock_guard lock(address_mutex_);
  addresses_ = std::move(next);
}

/// An engine computes one prompt after the other: what is added begins when what waits there is done.
void Endpoint::queue_prefill(std::uint64_t tokens, Clock::time_point now) noexcept {
  auto const speed = prefill_rate_.tokens_per_second();
  if (!speed) return;
  auto const takes = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(static_cast<double>(tokens) / *speed));
  auto until = prefill_until_.load(std::memory_order_relaxed);
  while (!prefill_until_.compare_exchange_weak(until, std::max(until, now) + takes, std::memory_order_relaxed)) {}
}

void Endpoint::learn_bytes_per_token(double bytes_per_token) noexcept {
  constexpr double kNews = 1.0 / 16;
  double const so_far = this->bytes_per_token();
  // A lost update among many is no harm.
  bytes_per_token_.store(static_cast<float>(so_far + kNews * (bytes_per_token - so_far)), std::memory_order_relaxed);
}

}  // namespace kvgate::fleet
