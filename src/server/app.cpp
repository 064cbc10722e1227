#include "server/app.hpp"

#include <algorithm>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include "admin/endpoints.hpp"
#include "base/log.hpp"
#include "http/tls_context.hpp"
#include "proxy/worker.hpp"
#include "routing/catalogue.hpp"
#include "server/acceptor.hpp"
#include "server/drain.hpp"
#include "server/engine_facts.hpp"
#include "server/limits.hpp"
#include "server/token_facts.hpp"
#include "text/cache/segment_cache.hpp"
#include "tokens/load.hpp"
#include "tokens/table.hpp"
#include "watch/context.hpp"
#include "watch/watch.hpp"

namespace kvgate::server {
namespace {

namespace net = boost::asio;

constexpr std::chrono::seconds kSampleEvery{5};
constexpr std::size_t kMostLongTexts = 256;   // that wait for a thread

std::vector<std::string> route_labels(openai::RouteTable const& table) {
  std::vector<std::string> labels;
  for (auto const& row : table.rows()) labels.push_back(row.path);
  return labels;
}

}  // namespace

struct App::Impl {
  explicit Impl(config::Config c);
  ~Impl() { pool.stop(); }   // its jobs use much of what stands here
  void watch_fleet();
  void listen();
  void start_workers();
  void sample();
  proxy::Worker& least_busy();
  std::size_t open_connections() const;
  void hand_over(int fd, SocketAddress const& peer, bool admin);
  metrics::ControlFacts facts();

  config::Config const config;
  std::size_t const descriptors = raise_descriptor_limit();
  net::io_context control{1};
  metrics::Registry metrics{Clock::now(), WallClock::now()};
  fleet::Registry fleet;
  routing::Plans const plans;
  text::SegmentCache segments{config.tokenizers.cache};
  ComputePool pool;
  tokens::Table tokens;
  proxy::KeyReader const keys;
  openai::RouteTable const routes;
  http::TlsContext tls;
  admin::Endpoints endpoints;
  proxy::Shared shared;
  std::vector<std::unique_ptr<proxy::Worker>> workers;
  std::unique_ptr<watch::Watch> watch;
  std::vector<std::unique_ptr<Acceptor>> acceptors;
  std::vector<std::thread> threads;
  net::steady_timer sample_timer{control};
};

App::Impl::Impl(config::Config c)
    : config(std::move(c)),
      fleet([this](std::string_view url) { return metrics.intern_engine(url); },
            [this](std::string_view model) { return metrics.intern_model(model); }, random_seed(),
            config.routing.prefix.max_memory),
      plans(config.routing),
      pool(config.tokenizers.threads, kMostLongTexts),
      tokens(config.tokenizers, pool, tokens::load_assets),
      keys(config.routing),
      routes(config.proxy.extra_paths),
      tls(config.engine.ca_file, config.engine.insecure_skip_verify),
      endpoints(config, fleet, tokens, metrics, control),
      shared{config, fleet, plans, tokens, segments, pool, keys, routes, metrics, tls, endpoints,
             proxy::CidrList(config.http.trusted_proxies), proxy::MemoryBudget(memory_limit(config.limits)),
             proxy::PoisonList(config.retry.poison_ttl)} {
  metrics.set_routes(route_labels(routes));
  fleet.set_engines(config.engines, config.models.known);
  metrics.set_control_source([this] { return facts(); });
  Random seeds(random_seed());
  for (unsigned i = 0; i < worker_count(config.server); ++i)
    workers.push_back(std::make_unique<proxy::Worker>(shared, seeds.next()));
  watch_fleet();
  listen();
}

void App::Impl::watch_fleet() {
  watch = std::make_unique<watch::Watch>(watch::Context{control, fleet, config, tokens, tls, Random(random_seed())});
  shared.resolve_again = [this](std::shared_ptr<fleet::Endpoint const> endpoint) { watch->request_resolve(std::move(endpoint)); };
  tokens.start([this] { watch->tokens_changed(); });
  shared.ask_tokens = [this](auto endpoint, auto body, auto done) {
    watch->tokenize(std::move(endpoint), std::move(body), std::move(done));
  };
  fleet.on_transition([this](fleet::Transition const& t) {
    log::event(t.to == fleet::Health::up ? log::Level::info : log::Level::warn, "engine health changed",
               {{"engine", t.endpoint->url()}, {"from", to_string(t.from)}, {"to", to_string(t.to)}, {"reason", t.reason}});
    if (t.to != fleet::Health::down) return;
    for (auto const& worker : workers) worker->post_wake_all();   // what waits for it moves on
  });
}

std::size_t App::Impl::open_connections() const {
  std::size_t open = 0;
  for (auto const& worker : workers) open += worker->connections();
  return open;
}

proxy::Worker& App::Impl::least_busy() {
  auto const load = [](auto const& worker) { return std::pair(worker->busy(), worker->connections()); };
  return **std::ranges::min_element(workers, {}, load);
}

void App::Impl::hand_over(int fd, SocketAddress const& peer, bool admin) {
  least_busy().post_connection(fd, peer, admin);
}

void App::Impl::listen() {
  auto const add = [this](std::string const& host, std::uint16_t port, bool admin) {
    Acceptor::Hooks hooks;
    hooks.accepted = [this, admin](int fd, SocketAddress const& peer) { hand_over(fd, peer, admin); };
    hooks.open_connections = [this] { return open_connections(); };
    hooks.paused = [this] { metrics.accept_paused(); };
    auto const most = admin ? 0 : connection_limit(config.limits, descriptors);   // operators get in all the same
    acceptors.push_back(std::make_unique<Acceptor>(control, Acceptor::Options{host, port, most}, std::move(hooks)));
    log::info("{}listening on http://{}", admin ? "admin " : "", address_text(acceptors.back()->address()));
  };
  add(config.server.host, config.server.port, false);
  if (config.admin.port) add(config.admin.host, *config.admin.port, true);
}

metrics::ControlFacts App::Impl::facts() {
  metrics::ControlFacts facts;
  auto const now = Clock::now();
  for (auto const& member : fleet.current()->members) {
    facts.engines.push_back(engine_facts(member, now, config.engine_stats.stale));
  }
  facts.tokens = token_facts(*tokens.snapshot().load(), segments.stats());
  facts.memory_used = shared.memory.used();
  facts.memory_limit = shared.memory.limit();
  return facts;
}

void App::Impl::sample() {
  metrics.sample(Clock::now());
  sample_timer.expires_after(kSampleEvery);
  sample_timer.async_wait([this](boost::system::error_code error) {
    if (!error) sample();
  });
}

void App::Impl::start_workers() {
  for (auto const& worker : workers) threads.emplace_back([&worker] { worker->run(); });
}

App::App(config::Config config) : impl_(std::make_unique<Impl>(std::move(config))) {}
App::~App() = default;

int App::run() {
  auto& app = *impl_;
  std::signal(SIGPIPE, SIG_IGN);
  Drain::Hooks hooks;
  hooks.not_ready = [&app] { app.endpoints.stop_being_ready(); };
  hooks.stage = [&app](proxy::LifeStage stage) {
    app.shared.stage.store(stage);
    if (stage == proxy::LifeStage::draining)
      for (auto const& acceptor : app.acceptors) acceptor->stop();
    for (auto const& worker : app.workers) worker->post_wake_all();
  };
  hooks.connections = [&app] { return app.open_connections(); };
  hooks.finished = [&app] {
    app.watch->stop();
    app.sample_timer.cancel();
    for (auto const& worker : app.workers) worker->post_stop();
  };
  Drain drain(app.control, app.config.drain, std::move(hooks));
  app.start_workers();
  app.watch->start();
  app.sample();
  app.control.run();
  for (auto& thread : app.threads) thread.join();
  log::info("exit: {}", drain.cut_off() ? "what was still running has been cut off" : "everything has ended by itself");
  return 0;
}

}  // namespace kvgate::server
