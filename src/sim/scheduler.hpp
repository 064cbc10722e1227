// vLLM's scheduling, much reduced: requests wait in order of arrival, at most so many run, one prefill at a time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>

namespace kvgate::sim {

class Sequence;

/// Used from one io_context thread only; outlives its sequences.
class Scheduler {
 public:
  explicit Scheduler(std::size_t max_running) : max_running_(max_running) {}

  std::size_t waiting() const noexcept { return queue_.size(); }
  std::size_t running() const noexcept { return running_; }
  std::size_t held_blocks() const noexcept { return held_blocks_; }  ///< of all running sequences
  bool asleep() const noexcept { return asleep_; }

  /// Asleep, nothing new is started; what runs goes on.
  void sleep(bool asleep);

  /// Nothing is started any more: the frames that hold sequences are about to be destroyed.
  void stop() noexcept { stopped_ = true; }

 private:
  friend class Sequence;
  void start_next();

  std::size_t max_running_;
  std::list<Sequence*> queue_;
  Sequence const* prefilling_ = nullptr;
  std::size_t running_ = 0;
  std::size_t held_blocks_ = 0;
  bool asleep_ = false;
  bool stopped_ = false;
};

/// One request inside the engine: waiting from its construction on, gone from all counts with its destruction.
class Sequence {
 public:
  using Clock = std::chrono::steady_clock;

  /// `blocks`: what it occupies while it runs.
  Sequence(Scheduler& scheduler, boost::asio::any_io_executor const& executor, std::size_t blocks);
  ~Sequence();
  Sequence(Sequence const&) = delete;
  Sequence& operator=(Sequence const&) = delete;

  /// Returns when it is this sequence's turn to prefill. Throws system_error when the coroutine is cancelled.
  boost::asio::awaitable<void> turn();

  /// Ends the prefill: the next one may begin.
  void prefilled();

  /// Passes time, counted from the end of the last wait so that pace does not drift. Throws as turn() does.
  boost::asio::awaitable<void> pass(Clock::duration time);

 private:
  friend class Scheduler;
  void start();

  Scheduler& scheduler_;
  boost::asio::steady_timer timer_;
  Clock::time_point due_;
  std::size_t blocks_;
  bool started_ = false;
};

}  // namespace kvgate::sim
