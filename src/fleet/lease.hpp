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

  /// What a request costs before its first token.
  struct Prefill {
    std::uint64_t tokens = 0;
    bool told = true;   ///< its end is seen: the answer does not come in one piece when all is generated
  };

  /// Counts one request on the endpoint; nullopt when it is at its max_concurrent.
  static std::optional<Lease> take(std::shared_ptr<Endpoint> endpoint, Prefill prefill, Clock::time_point now);

  /// The prefill is over (first body byte): its tokens are no longer outstanding. What it took alone, supposing that
  /// the engine computes one prompt after the other: since it was routed, or since the first byte before it if that
  /// was later. Zero when it was over already, or is not told.
  Clock::duration prefill_done(Clock::time_point now) noexcept;

  Endpoint const* endpoint() const noexcept { return endpoint_.get(); }
  explicit operator bool() const noexcept { return endpoint_ != nullptr; }

 private:
  Lease(std::shared_ptr<Endpoint> endpoint, Prefill prefill, Clock::time_point now)
      : endpoint_(std::move(endpoint)), prefill_(prefill), taken_(now), prefilling_(true) {}
  void give_back_prefill() noexcept;
  void release() noexcept;

  std::shared_ptr<Endpoint> endpoint_;
  Prefill prefill_;
  Clock::time_point taken_{};
  bool prefilling_ = false;
};

}  // namespace kvgate::fleet
