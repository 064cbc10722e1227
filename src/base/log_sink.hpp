// A spdlog sink on a descriptor: collects lines, writes them in one piece, reopens its file on request.
#pragma once

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <system_error>

namespace kvgate::log {

/// spdlog's own file sinks lose their file when reopening fails and cannot be hurried out of a blocked write.
/// Used by one thread; hurry() by any.
class FdSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  /// Empty path: standard output. Throws std::system_error. Lines lost to a failed write are added to `dropped`.
  FdSink(std::string path, std::atomic<std::uint64_t>& dropped);
  ~FdSink() override;

  /// Opens the path anew and closes the old file; on an error the old one stays. Flush before.
  std::error_code reopen();
  void hurry() noexcept { hurry_.store(true, std::memory_order_relaxed); }

 private:
  void sink_it_(spdlog::details::log_msg const& msg) override;
  void flush_() override;

  void adopt(int fd);
  bool wait_writable();
  bool write_all(std::string_view bytes);

  std::string path_;
  std::atomic<std::uint64_t>& dropped_;
  std::atomic<bool> hurry_{false};
  int idle_polls_ = 0;  // since hurry(); once the reader is given up it stays so
  int fd_ = -1;
  std::size_t chunk_ = 0;  // bytes that one write may take without blocking, once the descriptor is writable
  std::string buffer_;
  std::uint64_t buffered_lines_ = 0;
};

}  // namespace kvgate::log
