// The bounded queue between callers of the log and the one thread that writes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "base/access_log.hpp"
#include "base/log.hpp"
#include "kvgate/clock.hpp"

namespace kvgate::log {

struct LineItem {
  WallClock::time_point time;
  Level level = Level::info;
  std::string payload;  ///< already in the format of the log
};

struct AccessItem {
  WallClock::time_point time;
  AccessRecord record;
};

struct ReopenItem {};

class Writer;

/// One per process. push() and the accessors are thread-safe; start() and stop() are for one controlling thread.
class Pipeline {
 public:
  using Item = std::variant<LineItem, AccessItem, ReopenItem>;

  static Pipeline& instance();

  void start(LogOptions const& options);
  void stop();

  /// Never waits for the writer: a full queue drops the item and counts it. Does nothing while not started.
  void push(Item&& item);

  bool enabled(Level level) const noexcept {
    return static_cast<std::uint8_t>(level) >= least_level_.load(std::memory_order_relaxed);
  }
  Format format() const noexcept { return format_.load(std::memory_order_relaxed); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  Pipeline(Pipeline const&) = delete;
  Pipeline& operator=(Pipeline const&) = delete;

 private:
  static constexpr std::uint8_t kOff = 255;

  Pipeline();
  ~Pipeline();

  void run();
  bool take(std::vector<Item>& batch);
  bool enqueue(Item&& item);

  std::atomic<std::uint8_t> least_level_{kOff};
  std::atomic<Format> format_{Format::text};
  std::atomic<std::uint64_t> dropped_{0};

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Item> queue_;  // guarded by mutex_, as all below
  std::size_t capacity_ = 0;
  bool open_ = false;
  bool stopping_ = false;
  bool asleep_ = false;  // the writer waits without a timeout: the next push must wake it

  std::unique_ptr<Writer> writer_;  // used by the background thread only, while there is one
  std::thread thread_;
};

}  // namespace kvgate::log
