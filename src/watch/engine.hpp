// One engine as the loops of watch/ see it, with what they tell each other, and how they ask it.
#pragma once

#include <memory>
#include <string>

#include "fleet/endpoint.hpp"
#include "http/fetch.hpp"
#include "watch/bell.hpp"
#include "watch/context.hpp"

namespace kvgate::watch {

/// Control thread only (the Endpoint is shared).
struct Engine {
  Engine(net::any_io_executor const& executor, std::shared_ptr<fleet::Endpoint> watched);

  std::shared_ptr<fleet::Endpoint> const endpoint;
  bool const named;            ///< its host is a name: watch_addresses() runs
  bool looked_up;              ///< the first look-up has ended, or none is needed
  bool models_failed = false;  ///< the last refresh of its models failed
  bool restarted = false;      ///< since its token ids were compared
  Bell health_bell, models_bell, stats_bell, resolve_bell, tokens_bell;
};

/// GET <base><path> with the engine's key, to its resolved addresses.
http::FetchRequest engine_get(Engine const& engine, std::string const& path);

/// fetch(), except that an engine without addresses is "resolve_failed" at once: its name is the resolver's business.
net::awaitable<Result<http::FetchResponse>> ask(Context& context, http::FetchRequest request);

/// `duration` ±10 %: the gates and engines of a site must not fall into step.
Clock::duration jittered(Clock::duration duration, Random& random);

}  // namespace kvgate::watch
