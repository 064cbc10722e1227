#include "base/compute_pool.hpp"

#include <utility>

namespace kvgate {

ComputePool::ComputePool(std::size_t threads, std::size_t max_waiting) : max_waiting_(max_waiting) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

ComputePool::~ComputePool() { stop(); }

bool ComputePool::run(Job job) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_ || waiting_.size() >= max_waiting_) return false;
    waiting_.push_back(std::move(job));
  }
  news_.notify_one();
  return true;
}

void ComputePool::stop() {
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  news_.notify_all();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

void ComputePool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    news_.wait(lock, [this] { return stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    auto const job = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace kvgate
