// From a signal to the exit. SIGTERM: not ready at once, still serving for drain.settle (load balancers need time), then
// idle connections are closed and what runs may end; at drain.timeout the rest is cut off. SIGINT skips the settling, a
// second signal cuts off now. SIGUSR1 reopens the log file.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "config/config.hpp"
#include "proxy/worker.hpp"

namespace kvgate::server {

/// Lives on the control thread. Blocks nothing; everything happens through its hooks.
class Drain {
 public:
  struct Hooks {
    std::function<void()> not_ready;
    std::function<void(proxy::LifeStage)> stage;
    std::function<std::size_t()> connections;   ///< open client connections
    std::function<void()> finished;             ///< nothing runs any more: let the loops end
  };

  Drain(boost::asio::io_context& io, config::Drain const& times, Hooks hooks);

  /// Something was ended before it was over.
  bool cut_off() const noexcept { return cut_off_; }

 private:
  void wait_for_signal();
  void signalled(int signal);
  void enter(proxy::LifeStage stage);
  void poll();

  config::Drain const& times_;
  Hooks hooks_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer timer_, limit_;
  proxy::LifeStage stage_ = proxy::LifeStage::serving;
  bool cut_off_ = false, finished_ = false;
};

}  // namespace kvgate::server
