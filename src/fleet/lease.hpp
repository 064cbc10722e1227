// A request's claim on an endpoint: counted from the decision to the end of the exchange, whatever the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "fleet/endpoint.hpp"

namespace kvgate::fleet {

/// Move-only. Destruction gives back whatever is still held. Used by one thread at a time.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  /// Counts one request with `prefill_tokens` on the endpoint; nullopt when it is at its max_concurrent.
  static std::optional<Lease> take(std::shared_ptr<Endpoint> endpoint, std::uint64_t prefill_tokens);

  /// The prefill is over (first body byte): its tokens are no longer outstanding. May be called repeatedly.
  void prefill_done() noexcept;

  Endpoint const* endpoint() const noexcept { return endpoint_.get(); }
  explicit operator bool() const noexcept { return endpoint_ != nullptr; }

 private:
  Lease(std::shared_ptr<Endpoint> endpoint, std::uint64_t tokens) : endpoint_(std::move(endpoint)), tokens_(tokens) {}
  void release() noexcept;

  std::shared_ptr<Endpoint> endpoint_;
  std::uint64_t tokens_ = 0;
};

}  // namespace kvgate::fleet
