// A few threads for work that would stall a worker.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kvgate {

/// Runs jobs in the order in which they came, as many at once as there are threads. Jobs do not throw.
class ComputePool {
 public:
  using Job = std::function<void()>;

  ComputePool(std::size_t threads, std::size_t max_waiting);
  /// As stop().
  ~ComputePool();
  ComputePool(ComputePool const&) = delete;
  ComputePool& operator=(ComputePool const&) = delete;

  /// False when that many wait already, or after stop(): the job is not taken. Thread-safe.
  bool run(Job job);

  /// Waits for the jobs that were taken. Once no other thread calls run().
  void stop();

 private:
  void work();

  std::size_t const max_waiting_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<Job> waiting_;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kvgate
