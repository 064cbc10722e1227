// What the workers share, and what each owns: an io_context on its own thread with everything that its sessions need.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/snapshot.hpp"
#include "config/config.hpp"
#include "fleet/registry.hpp"
#include "http/buffer.hpp"
#include "http/engine_pool.hpp"
#include "http/poller.hpp"
#include "http/timer_wheel.hpp"
#include "metrics/registry.hpp"
#include "openai/api.hpp"
#include "openai/request_view.hpp"
#include "proxy/cidr.hpp"
#include "proxy/memory_budget.hpp"
#include "proxy/own_endpoints.hpp"
#include "proxy/poison_list.hpp"
#include "proxy/request_keys.hpp"
#include "proxy/response_owners.hpp"
#include "routing/selector.hpp"
#include "text/cache/segment_cache.hpp"
#include "tokens/table.hpp"

namespace kvgate::http {
class TlsContext;
}

namespace kvgate::proxy {

namespace net = boost::asio;

class Session;
struct ExchangeScratch;

/// `settling`: told to end, still serving (load balancers need time), responses carry Connection: close. `draining`: idle
/// connections are closed, what runs goes on. `killed`: nothing may wait any more.
enum class LifeStage : std::uint8_t { serving, settling, draining, killed };

/// Outlives all workers. The references are set up once, before the threads start.
struct Shared {
  config::Config const& config;
  fleet::Registry& registry;
  routing::Plans const& plans;
  tokens::Table& tokens;
  text::SegmentCache& segments;
  ComputePool& pool;
  KeyReader const& keys;
  openai::RouteTable const& routes;
  metrics::Registry& metrics;
  http::TlsContext& tls;
  OwnEndpoints& own;
  CidrList trusted_proxies;
  MemoryBudget memory;
  PoisonList poison;
  ResponseOwners responses{10'000};
  std::atomic<LifeStage> stage{LifeStage::serving};
  /// Called when a connect to the endpoint's name failed: its addresses may be old. Thread-safe.
  std::function<void(std::shared_ptr<fleet::Endpoint const>)> resolve_again;
  /// Asks an engine what it makes of a body as POST /tokenize; the callback comes once, on any thread. Thread-safe.
  using Tokens = std::optional<std::vector<std::uint32_t>>;
  std::function<void(std::shared_ptr<fleet::Endpoint const>, std::string, std::function<void(Tokens)>)> ask_tokens;
};

/// Everything here is used by the worker's thread only, except what says otherwise.
class Worker {
 public:
  Worker(Shared& shared, std::uint64_t seed);
  ~Worker();

  /// Runs the loop until stop() and the last session; to be called on the worker's thread.
  void run();
  /// Takes over an accepted socket; from any thread.
  void post_connection(int fd, SocketAddress const& peer, bool admin);
  /// Lets every session look at the world again (an engine went down, the stage changed); from any thread.
  void post_wake_all();
  /// After the last session: closes idle connections and lets run() return; from any thread.
  void post_stop();
  /// Open client connections; from any thread.
  std::size_t connections() const noexcept { return connections_.load(std::memory_order_relaxed); }
  /// Runs `task` on the worker's thread soon; from any thread.
  void post(std::function<void()> task);
  /// Requests in progress; from any thread.
  std::size_t busy() const noexcept { return busy_.load(std::memory_order_relaxed); }

  /// Notifies `wake` after everything else that has news had its turn.
  void yield(http::Wake& wake) { yielded_.push_back(&wake); }
  /// To be called when it goes on, whatever woke it.
  void no_longer_yields(http::Wake& wake) { std::erase(yielded_, &wake); }

  std::unique_ptr<ExchangeScratch> borrow_scratch();
  void return_scratch(std::unique_ptr<ExchangeScratch> scratch);

  Shared& shared;
  net::io_context io{1};
  http::Poller poller;
  http::TimerWheel wheel;
  http::BufferPool buffers;
  http::EnginePool engines;
  openai::RequestParser parser;
  routing::Selector selector;
  Snapshot<fleet::EndpointSet>::Reader fleet;
  Snapshot<tokens::Table::Map>::Reader tokens;
  Random random;
  metrics::WorkerMetrics& metrics;

 private:
  friend class Session;
  void enlist(Session& session);
  void dismiss(Session& session);
  void loop();
  bool run_posted();
  void start_session(int fd, SocketAddress const& peer, bool admin);

  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_, running_;   // from other threads; the second is the first, being run
  std::vector<http::Wake*> yielded_, resuming_;
  bool stopped_ = false, session_ended_ = false;
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> busy_{0};
  std::vector<std::unique_ptr<ExchangeScratch>> spare_scratch_;
  std::vector<Session*> sessions_;   // those that exist now, in no order
};

}  // namespace kvgate::proxy
