// The gate's own endpoints: who says what. Bodies are rendered in views.cpp.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>

#include "config/config.hpp"
#include "fleet/registry.hpp"
#include "metrics/registry.hpp"
#include "proxy/own_endpoints.hpp"
#include "tokens/table.hpp"

namespace kvgate::admin {

/// Thread-safe. What takes long is made on the control thread.
class Endpoints final : public proxy::OwnEndpoints {
 public:
  Endpoints(config::Config const& config, fleet::Registry& fleet, tokens::Table const& tokens,
            metrics::Registry& metrics, boost::asio::io_context& control)
      : config_(config), fleet_(fleet), tokens_(tokens), metrics_(metrics), control_(control) {}

  proxy::OwnAnswer answer(proxy::OwnRequest const& request) override;
  void answer_elsewhere(proxy::OwnRequest request, std::function<void(proxy::OwnAnswer)> done) override;

  /// From now on /ready is 503. Thread-safe.
  void stop_being_ready() noexcept { leaving_.store(true, std::memory_order_relaxed); }

 private:
  std::string engines() const;

  config::Config const& config_;
  fleet::Registry& fleet_;
  tokens::Table const& tokens_;
  metrics::Registry& metrics_;
  boost::asio::io_context& control_;
  std::atomic<bool> leaving_{false};
};

}  // namespace kvgate::admin
