#include "base/log_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace kvgate::log {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;
constexpr int kPollMilliseconds = 100;
constexpr int kPollsBeforeGivingUp = 10;

/// O_NONBLOCK so that a named pipe without a reader is an error and not a wait.
int open_log(std::string const& path) {
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0640);
}

}  // namespace

FdSink::FdSink(std::string path, std::atomic<std::uint64_t>& dropped) : path_(std::move(path)), dropped_(dropped) {
  int const fd = path_.empty() ? STDOUT_FILENO : open_log(path_);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), path_);
  adopt(fd);
}

FdSink::~FdSink() {
  if (!path_.empty()) ::close(fd_);
}

void FdSink::adopt(int fd) {
  fd_ = fd;
  struct stat info {};
  bool const regular = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  chunk_ = regular ? kFlushAt : PIPE_BUF;
}

std::error_code FdSink::reopen() {
  if (path_.empty()) return {};
  int const fd = open_log(path_);
  if (fd < 0) return {errno, std::generic_category()};
  ::close(fd_);
  adopt(fd);
  return {};
}

void FdSink::sink_it_(spdlog::details::log_msg const& msg) {
  spdlog::memory_buf_t line;
  formatter_->format(msg, line);
  buffer_.append(line.data(), line.size());
  ++buffered_lines_;
  if (buffer_.size() >= kFlushAt) flush_();
}

void FdSink::flush_() {
  if (!write_all(buffer_)) dropped_.fetch_add(buffered_lines_, std::memory_order_relaxed);
  buffer_.clear();
  buffered_lines_ = 0;
}

/// False when the reader took nothing for too long while the process wants to end.
bool FdSink::wait_writable() {
  while (idle_polls_ < kPollsBeforeGivingUp) {
    pollfd entry{fd_, POLLOUT, 0};
    if (::poll(&entry, 1, kPollMilliseconds) > 0) {
      idle_polls_ = 0;
      return true;
    }
    if (hurry_.load(std::memory_order_relaxed)) ++idle_polls_;
  }
  return false;
}

bool FdSink::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_writable()) return false;
    ssize_t const n = ::write(fd_, bytes.data(), std::min(bytes.size(), chunk_));
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR && errno != EAGAIN) return false;
  }
  return true;
}

}  // namespace kvgate::log
