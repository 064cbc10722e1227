// Health checks: is an engine fit to get requests?
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>

#include "config/config.hpp"
#include "kvgate/candidate.hpp"

namespace kvgate::watch {

namespace net = boost::asio;

struct Context;
struct Engine;

/// Counts probes in a row. Pure.
class Judge {
 public:
  explicit Judge(config::Health const& rules) : fall_(rules.fall), rise_(rules.rise) {}

  /// The state to go to after a probe; nullopt: no change. `now` is the state as others may have set it meanwhile.
  std::optional<fleet::Health> probed(bool good, fleet::Health now);

 private:
  std::uint32_t fall_, rise_;
  std::uint32_t good_ = 0, bad_ = 0;
};

/// Probes one engine until cancelled (at once, then every health.interval ±10 %, start to start) and tells the
/// registry: a refused probe makes it suspect at once; reasons probe_ok, probe_refused, probe_timeout, probe_status, probe_failed. When the engine comes up, its
/// models are asked for. With health checks off it is set up instead ("health_off"), again and again, since a refused
/// connect makes it suspect.
net::awaitable<void> watch_health(Context& context, Engine& engine);

}  // namespace kvgate::watch
