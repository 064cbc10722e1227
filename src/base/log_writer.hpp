// The writing end of the log: formats what was queued and hands it to spdlog. Used by one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/log_pipeline.hpp"

namespace spdlog {
class logger;
}

namespace kvgate::log {

class FdSink;

class Writer {
 public:
  /// Opens the output; throws std::system_error. Lines that cannot be written are added to `dropped`, which must
  /// outlive the writer.
  Writer(LogOptions const& options, std::atomic<std::uint64_t>& dropped);
  ~Writer();

  void write(Pipeline::Item const& item);
  /// Says how many lines were lost meanwhile, and flushes.
  void end_batch();
  /// From now on a reader that takes nothing for a second is given up. The only member that any thread may call.
  void hurry() noexcept;

 private:
  void put(LineItem const& item);
  void put(AccessItem const& item);
  void put(ReopenItem const& item);
  void line(WallClock::time_point time, Level level, std::string_view payload);
  void notice(Level level, std::string_view message, Field const& field);

  Format format_;
  std::atomic<std::uint64_t>& dropped_;
  std::uint64_t reported_;
  std::shared_ptr<FdSink> sink_;
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace kvgate::log
