#include "server/drain.hpp"

#include <csignal>

#include "base/log.hpp"

namespace kvgate::server {
namespace {

using proxy::LifeStage;

constexpr std::chrono::milliseconds kPoll{20};

}  // namespace

Drain::Drain(boost::asio::io_context& io, config::Drain const& times, Hooks hooks)
    : times_(times), hooks_(std::move(hooks)), signals_(io, SIGTERM, SIGINT, SIGUSR1), timer_(io), limit_(io) {
  wait_for_signal();
}

void Drain::wait_for_signal() {
  signals_.async_wait([this](boost::system::error_code error, int signal) {
    if (error) return;
    if (signal == SIGUSR1) {
      log::reopen();
    } else {
      signalled(signal);
    }
    if (!finished_) wait_for_signal();
  });
}

void Drain::signalled(int signal) {
  if (stage_ != LifeStage::serving) {
    log::warn("a second signal: ending now");
    if (stage_ != LifeStage::killed) enter(LifeStage::killed);
    return;
  }
  log::info("draining: {} open connections, at most {} ms", hooks_.connections(), times_.timeout.count());
  hooks_.not_ready();
  limit_.expires_after(times_.timeout);
  limit_.async_wait([this](boost::system::error_code error) {
    if (!error && stage_ != LifeStage::killed) enter(LifeStage::killed);
  });
  if (signal == SIGINT || times_.settle.count() == 0) return enter(LifeStage::draining);
  enter(LifeStage::settling);
  timer_.expires_after(times_.settle);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error && stage_ == LifeStage::settling) enter(LifeStage::draining);
  });
}

void Drain::enter(LifeStage stage) {
  bool const first_poll = stage_ < LifeStage::draining && stage >= LifeStage::draining;
  if (stage == LifeStage::killed) cut_off_ = hooks_.connections() > 0;
  if (stage_ < LifeStage::draining && stage == LifeStage::killed) hooks_.stage(LifeStage::draining);   // stops accepting
  stage_ = stage;
  hooks_.stage(stage);
  if (first_poll) poll();
}

void Drain::poll() {
  if (hooks_.connections() == 0) {
    finished_ = true;
    timer_.cancel();   // a second signal may have come while it settled
    limit_.cancel();
    signals_.cancel();
    hooks_.finished();
    return;
  }
  timer_.expires_after(kPoll);
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) poll();
  });
}

}  // namespace kvgate::server
