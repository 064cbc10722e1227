// A simulated vLLM engine: real HTTP on a real port, made-up answers at an adjustable pace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/fault.hpp"
#include "sim/options.hpp"
#include "sim/stats.hpp"

namespace kvgate::sim {

/// Runs its own thread from construction to destruction. The members may be called from any thread but that one.
class SimEngine {
 public:
  /// Listens when it returns. Throws boost::system::system_error when the address cannot be bound, and
  /// std::invalid_argument for options that make no engine (no model, no block size).
  explicit SimEngine(SimOptions options);

  /// Stops listening and resets every connection at once, like an engine that is killed.
  ~SimEngine();

  SimEngine(SimEngine const&) = delete;
  SimEngine& operator=(SimEngine const&) = delete;

  std::uint16_t port() const;
  std::string url() const;  ///< http://host:port

  SimStats stats() const;

  /// Like POST /sim/fault.
  void fault(Fault const& fault);
  /// Like POST /sim/fault with the text of an `x-sim-fault` header. Throws std::invalid_argument when it is not known.
  void fault(std::string const& text);

  /// Like POST /sim/reset: no faults, an empty cache, all counters but `connections` at 0.
  void reset();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvgate::sim
