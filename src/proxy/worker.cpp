#include "proxy/worker.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "base/log.hpp"
#include "proxy/exchange.hpp"
#include "proxy/session.hpp"

namespace kvgate::proxy {

Worker::Worker(Shared& s, std::uint64_t seed)
    : shared(s), engines(s.config.engine.idle_timeout, [this] { metrics.engine_connection_idle_closed(); }),
      selector(s.registry, s.plans, s.config.engine_stats.stale),
      fleet(s.registry.snapshot()), tokens(s.tokens.snapshot()), random(seed), metrics(s.metrics.add_worker()) {}

Worker::~Worker() = default;

void Worker::run() {
  // The loop is a handler of the io_context: coroutines resumed in it recycle their frames and may use Asio.
  net::post(io, [this] { loop(); });
  io.run();
}

void Worker::loop() {
  while (!stopped_ || !sessions_.empty()) {
    auto const at_most = yielded_.empty() ? wheel.until_next(Clock::now()) : std::chrono::milliseconds(0);
    poller.wait(at_most);
    wheel.advance(Clock::now());
    resuming_.swap(yielded_);
    for (auto* wake : resuming_) wake->notify();   // each belongs to a session that waits for nothing but this or news
    resuming_.clear();
    if (run_posted()) io.poll();
  }
}

void Worker::post(std::function<void()> task) {
  {
    std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(task));
  }
  poller.interrupt();
}

/// True when something may have been left to the io_context.
bool Worker::run_posted() {
  bool const some_ended = std::exchange(session_ended_, false);
  {
    std::lock_guard lock(posted_mutex_);
    running_.swap(posted_);
  }
  bool const some = !running_.empty();
  for (auto& task : running_) task();
  running_.clear();
  return some || some_ended;
}

void Worker::post_connection(int fd, SocketAddress const& peer, bool admin) {
  connections_.fetch_add(1, std::memory_order_relaxed);
  post([this, fd, peer, admin] { start_session(fd, peer, admin); });
}

void Worker::start_session(int fd, SocketAddress const& peer, bool admin) {
  auto session = std::make_unique<Session>(*this, fd, peer, admin);
  net::co_spawn(io, Session::run(std::move(session)), [](std::exception_ptr failure) {
    // Nothing a peer sends throws; what is left is memory running out. The connection is closed, the gate goes on.
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (std::exception const& e) {
      log::error("a session ended by an exception: {}", e.what());
    }
  });
}

void Worker::post_wake_all() {
  post([this] {
    // One that ends while it is told is replaced by the last: going backwards, nobody is missed.
    for (std::size_t i = sessions_.size(); i-- > 0;)
      if (i < sessions_.size()) sessions_[i]->wake().notify();
  });
}

std::unique_ptr<ExchangeScratch> Worker::borrow_scratch() {
  if (spare_scratch_.empty()) return std::make_unique<ExchangeScratch>();
  auto scratch = std::move(spare_scratch_.back());
  spare_scratch_.pop_back();
  scratch->reset();
  return scratch;
}

void Worker::return_scratch(std::unique_ptr<ExchangeScratch> scratch) {
  constexpr std::size_t kSpare = 256;
  if (spare_scratch_.size() < kSpare) spare_scratch_.push_back(std::move(scratch));
}

void Worker::enlist(Session& session) {
  session.slot_ = sessions_.size();
  sessions_.push_back(&session);
  metrics.connection_opened();
}

void Worker::dismiss(Session& session) {
  sessions_[session.slot_] = sessions_.back();
  sessions_[session.slot_]->slot_ = session.slot_;
  sessions_.pop_back();
  session_ended_ = true;
  metrics.connection_closed();
  connections_.fetch_sub(1, std::memory_order_relaxed);
}

void Worker::post_stop() {
  post([this] {
    engines.clear();
    stopped_ = true;
  });
}

}  // namespace kvgate::proxy
