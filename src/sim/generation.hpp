// Computes a job at the engine's pace: waits for its turn, prefills what is not cached, then makes token after token.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "sim/job.hpp"
#include "sim/shape.hpp"

namespace kvgate::sim {

/// One job in progress. It counts as waiting or running while it exists; engine and job outlive it.
class Generation {
 public:
  Generation(EngineState& engine, Job const& job, boost::asio::any_io_executor const& executor);

  /// Up to the first token. Throws system_error when the coroutine is cancelled, as next() does.
  boost::asio::awaitable<void> prefill();

  bool done() const noexcept { return usage_.completion >= job_.tokens; }

  /// The next token, when its time has come.
  boost::asio::awaitable<Token> next();

  /// Books the job as finished.
  void finish();

  Usage const& usage() const noexcept { return usage_; }
  std::string const& text() const noexcept { return text_; }  ///< of all tokens so far

 private:
  using Clock = Sequence::Clock;

  EngineState& engine_;
  Job const& job_;
  Sequence sequence_;
  Clock::time_point arrived_;
  Clock::time_point last_token_;
  Usage usage_;
  std::string text_;
};

/// Whether one more request may wait (max_num_queued_reqs); a refusal is counted.
bool admits(EngineState& engine);

/// What the simulated model says: token `index` of every answer. Static storage.
std::string_view answer_token(std::uint32_t index) noexcept;

}  // namespace kvgate::sim
