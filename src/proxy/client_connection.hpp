// One client's connection: reads requests strictly, keeps pipelined bytes for their turn, writes answers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "http/async.hpp"
#include "http/buffer.hpp"
#include "http/chunks.hpp"
#include "http/head.hpp"
#include "http/stream.hpp"
#include "http/timer_wheel.hpp"
#include "kvgate/error.hpp"
#include "proxy/memory_budget.hpp"

namespace kvgate::proxy {

class Worker;
enum class LifeStage : std::uint8_t;

enum class ReadState {
  ready,     ///< what was asked for is there
  closed,    ///< the client left, was idle too long, or the gate ends: nothing to answer
  refused,   ///< answer with error() and close
};

/// Used by one session on its worker's thread.
class ClientConnection {
 public:
  ClientConnection(Worker& worker, int fd, SocketAddress const& peer);
  ~ClientConnection();

  /// Waits for the next request's head. Then head() is valid until release_request().
  http::Awaitable<ReadState> read_head();
  /// Reads the body of the current head (sized or chunked, at most http.max_body) completely; answers
  /// `Expect: 100-continue` first.
  http::Awaitable<ReadState> read_body();
  /// The same when the body (if any) has come with the head; false: read_body() has to be awaited.
  bool take_body();
  /// Head and body are no longer needed (no retry is possible): gives their memory back, keeps pipelined bytes. May be
  /// called repeatedly.
  void release_request();

  /// Sends everything; false when the client is gone, does not read for http.write_timeout, `limit` has expired, or the
  /// gate is killed.
  http::Awaitable<bool> write(std::span<iovec> pieces, http::Deadline const* limit = nullptr);
  http::Awaitable<bool> write(std::string_view bytes);
  /// Sends what the socket takes now; returns the bytes sent, or nullopt when the client is gone.
  std::optional<std::size_t> write_some(std::span<iovec const> pieces);
  /// After an answer that the client may still be sending against: lets it read the answer before the connection ends.
  http::Awaitable<void> linger();

  http::RequestHead const& head() const noexcept { return head_; }
  /// Empty after release_request().
  std::string_view body() const noexcept {
    return body_size_ ? std::string_view(in_->data() + body_at_, body_size_) : std::string_view();
  }
  std::uint64_t body_size() const noexcept { return body_size_; }
  Error const& error() const noexcept { return error_; }
  SocketAddress const& peer() const noexcept { return peer_; }
  std::string const& peer_host() const noexcept { return peer_host_; }
  bool peer_trusted() const noexcept { return peer_trusted_; }

  /// The client has left; with http.half_close: allow, a FIN alone does not count.
  bool gone() const noexcept { return stream_.broken() || (stream_.peer_closed() && !half_close_allowed_); }
  http::Wake& wake() noexcept { return wake_; }
  http::TcpStream& stream() noexcept { return stream_; }
  Clock::time_point arrived() const noexcept { return arrived_; }

 private:
  bool hold(std::size_t bytes);
  ReadState refuse(ErrorKind kind, std::string message);
  LifeStage stage() const noexcept;
  bool killed() const noexcept;
  http::Awaitable<ReadState> await_request();
  /// One read into the buffer, waiting for it under deadline_.
  http::Awaitable<ReadState> receive(ErrorKind on_timeout);
  http::Awaitable<ReadState> read_sized();
  http::Awaitable<ReadState> read_chunked();
  http::Awaitable<ReadState> make_room(std::size_t capacity);
  http::Awaitable<bool> send_continue();
  http::Awaitable<bool> await_room(http::Deadline const* limit);
  /// Decodes what has been received of a chunked body, in place.
  http::ChunkTracker::Event decode_chunks();
  ReadState take_head(std::size_t head_size);

  Worker& worker_;
  SocketAddress peer_;
  std::string peer_host_;
  bool peer_trusted_;                 // in http.trusted_proxies
  http::Wake wake_;
  http::TcpStream stream_;
  http::Deadline deadline_;
  http::PooledBuffer in_;             // head, body, then bytes of later requests
  MemoryShare memory_;
  http::RequestHead head_;
  http::ChunkTracker chunks_;
  Error error_;
  std::size_t head_size_ = 0, body_at_ = 0, body_size_ = 0;
  std::size_t raw_at_ = 0;            // chunked: where undecoded bytes begin
  std::size_t next_at_ = 0;           // where bytes of later requests begin
  Clock::time_point arrived_{};
  bool half_close_allowed_;
  bool in_head_ = false;              // of a request that has begun to come in
};

}  // namespace kvgate::proxy
