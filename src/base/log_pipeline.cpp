#include "base/log_pipeline.hpp"

#include <chrono>
#include <utility>

#include "base/log_writer.hpp"

namespace kvgate::log {
namespace {

/// Lines that come within this time of each other share a wake-up and a write: a busy gate pays no system call per
/// line.
constexpr std::chrono::milliseconds kGather{5};

}  // namespace

Pipeline::Pipeline() = default;

Pipeline::~Pipeline() {
  stop();
}

Pipeline& Pipeline::instance() {
  static Pipeline pipeline;
  return pipeline;
}

void Pipeline::start(LogOptions const& options) {
  stop();
  writer_ = std::make_unique<Writer>(options, dropped_);
  {
    std::lock_guard const lock(mutex_);
    capacity_ = options.queue;
    queue_.reserve(capacity_ + 1);
    stopping_ = false;
    open_ = true;
  }
  format_.store(options.format, std::memory_order_relaxed);
  thread_ = std::thread([this] { run(); });
  least_level_.store(static_cast<std::uint8_t>(options.level), std::memory_order_relaxed);
}

void Pipeline::stop() {
  if (!thread_.joinable()) return;
  least_level_.store(kOff, std::memory_order_relaxed);
  {
    std::lock_guard const lock(mutex_);
    open_ = false;
    stopping_ = true;
  }
  writer_->hurry();
  wake_.notify_one();
  thread_.join();
  writer_.reset();
}

void Pipeline::push(Item&& item) {
  if (enqueue(std::move(item))) wake_.notify_one();
}

bool Pipeline::enqueue(Item&& item) {
  std::lock_guard const lock(mutex_);
  if (!open_) return false;
  // A request to reopen must not get lost; the queue keeps its order, so it waits its turn even beyond the capacity.
  if (queue_.size() >= capacity_ && !std::holds_alternative<ReopenItem>(item)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  queue_.push_back(std::move(item));
  bool const half_full = queue_.size() == capacity_ / 2;
  return std::exchange(asleep_, false) || half_full;
}

/// Waits for lines and takes them all. Returns false when these are the last.
bool Pipeline::take(std::vector<Item>& batch) {
  std::unique_lock lock(mutex_);
  asleep_ = queue_.empty();
  wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
  asleep_ = false;
  wake_.wait_for(lock, kGather, [this] { return stopping_ || queue_.size() >= capacity_ / 2; });
  batch.swap(queue_);
  return !stopping_;
}

void Pipeline::run() {
  std::vector<Item> batch;
  batch.reserve(capacity_ + 1);
  for (bool more = true; more;) {
    more = take(batch);
    for (auto const& item : batch) writer_->write(item);
    writer_->end_batch();
    batch.clear();
  }
}

}  // namespace kvgate::log
