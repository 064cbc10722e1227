// The surroundings of watch/: given once, used by all its loops.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>

#include "base/random.hpp"
#include "config/config.hpp"
#include "fleet/registry.hpp"
#include "http/lookup.hpp"
#include "http/tls_context.hpp"

namespace kvgate::tokens {
class Table;
}

namespace kvgate::watch {

namespace net = boost::asio;

/// What no configuration sets.
struct Pace {
  std::chrono::milliseconds resolve_every{30'000};
  std::chrono::milliseconds resolve_gap{1'000};   ///< between two look-ups of one name, however often asked for
  std::chrono::milliseconds models_retry{1'000};  ///< after a first failure; doubles up to models.refresh
  std::chrono::milliseconds models_timeout{5'000};
};

/// The references must outlive the io_context's work. Used by the control thread only.
struct Context {
  net::io_context& io;
  fleet::Registry& registry;
  config::Config const& config;
  tokens::Table& tokens;
  http::TlsContext const& tls;
  Random random;
  http::Lookup lookup = http::system_lookup;
  Pace pace = {};
};

}  // namespace kvgate::watch
