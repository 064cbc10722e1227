// Connections to engines that wait for their next request: per worker, per endpoint, last in first out.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "http/stream.hpp"
#include "http/timer_wheel.hpp"

namespace kvgate::http {

class EnginePool;

/// One connection. While it is idle the pool owns it and closes it when the engine speaks, leaves, or time is up.
class EngineConnection final : public Listener {
 public:
  EngineConnection(std::unique_ptr<Stream> stream, TimerWheel& wheel)
      : stream_(std::move(stream)), idle_deadline_(wheel, *this) {}

  Stream& stream() noexcept { return *stream_; }
  /// Has carried a request before: its death may mean that it was merely idle too long.
  bool reused() const noexcept { return reused_; }

 private:
  friend class EnginePool;
  void on_news() override;

  std::unique_ptr<Stream> stream_;
  Deadline idle_deadline_;
  EnginePool* pool_ = nullptr;
  void const* key_ = nullptr;
  bool reused_ = false;
};

class EnginePool {
 public:
  /// `closed_idle` is told of each connection closed by time, by the engine, or because it spoke while idle.
  EnginePool(Clock::duration idle_timeout, std::function<void()> closed_idle)
      : idle_timeout_(idle_timeout), closed_idle_(std::move(closed_idle)) {}

  /// The connection that was used last; null when there is none. `key` identifies the endpoint.
  std::unique_ptr<EngineConnection> take(void const* key);
  void put(void const* key, std::unique_ptr<EngineConnection> connection);
  void clear() { idle_.clear(); }
  std::size_t size() const noexcept;

 private:
  friend class EngineConnection;
  void close(EngineConnection& connection);

  Clock::duration idle_timeout_;
  std::unordered_map<void const*, std::vector<std::unique_ptr<EngineConnection>>> idle_;
  std::function<void()> closed_idle_;
};

}  // namespace kvgate::http
