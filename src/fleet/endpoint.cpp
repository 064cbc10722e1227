#include "fleet/endpoint.hpp"

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

void Endpoint::learn_bytes_per_token(double bytes_per_token) noexcept {
  constexpr double kNews = 1.0 / 16;
  double const so_far = this->bytes_per_token();
  // A lost update among many is no harm.
  bytes_per_token_.store(static_cast<float>(so_far + kNews * (bytes_per_token - so_far)), std::memory_order_relaxed);
}

}  // namespace kvgate::fleet
