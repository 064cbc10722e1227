// One attempt at one engine: connect (or reuse), send the request, wait for the answer's head and first body byte.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/async.hpp"
#include "http/body_tracker.hpp"
#include "http/buffer.hpp"
#include "http/engine_pool.hpp"
#include "http/head.hpp"
#include "http/timer_wheel.hpp"
#include "fleet/endpoint.hpp"
#include "kvgate/error.hpp"
#include "proxy/client_connection.hpp"

namespace kvgate::proxy {

class Worker;

enum class LegEnd : std::uint8_t {
  answered,       ///< head and first body byte (or the end) are here
  not_sent,       ///< the engine did not get the whole request: refused, reset, or no connection in time
  stale,          ///< a connection from the pool died before it said anything: a fresh one may do
  lost,           ///< the engine had the whole request and went away
  timed_out,      ///< a limit of the route
  bad_response,   ///< what came is not HTTP
  client_gone,
  killed,         ///< the gate ends
};

/// Whoever wants to know that the request has gone for good.
class SentListener {
 public:
  /// The engine has taken all of the request, and it will not be sent once more on a fresh connection: head and body of
  /// Request are not looked at any more. At most once in a leg.
  virtual void request_sent() = 0;

 protected:
  ~SentListener() = default;
};

/// Used by one exchange at a time, again and again.
class EngineLeg {
 public:
  /// `head` is filled by each leg; its owner outlives this.
  EngineLeg(Worker& worker, http::Wake& wake, http::ResponseHead& head);

  struct Request {
    std::string_view head;
    std::string_view body;
    bool is_head = false;            ///< method HEAD: the answer has no body
    bool fresh_connection = false;   ///< not from the pool: the request must not be repeated
    Clock::duration first_byte_limit{0};
    SentListener* on_sent = nullptr;   ///< may be null
  };

  /// Runs to the first body byte. `total` is the exchange's own deadline.
  http::Awaitable<LegEnd> run(std::shared_ptr<fleet::Endpoint> const& endpoint, Request const& request, ClientConnection& client,
                              http::Deadline const& total);

  /// Valid after `answered`, until release(): the answer's head.
  http::ResponseHead const& head() const noexcept { return head_; }
  std::size_t head_size() const noexcept { return head_size_; }
  /// The bytes read so far, head first; the views of head() live in it.
  http::PooledBuffer take_buffer() { return std::move(buffer_); }
  http::BodyTracker& tracker() noexcept { return tracker_; }
  http::BodyTracker const& tracker() const noexcept { return tracker_; }
  http::Stream& stream() noexcept { return connection_->stream(); }
  /// The engine closed its side properly behind the bytes seen so far.
  bool ended() const noexcept { return ended_; }
  /// The whole request was sent: only then may the connection carry another.
  bool sent_all() const noexcept { return sent_all_; }
  /// Static text: why the last leg failed.
  std::string_view trouble() const noexcept { return trouble_; }
  bool connect_timed_out() const noexcept { return connect_timed_out_; }

  /// Back to the pool when the answer was complete and clean; else closed.
  void release(bool reusable);

 private:
  LegEnd fail(LegEnd end, std::string_view trouble);
  http::Awaitable<LegEnd> connect(ClientConnection& client);
  http::Awaitable<LegEnd> handshake(ClientConnection& client);
  http::Awaitable<LegEnd> connect_to(SocketAddress const& address, ClientConnection& client);
  bool wants_to_send() const noexcept;
  /// Sends what the socket takes now: a whole request, nearly always.
  void send_some(Request const& request);
  std::optional<LegEnd> given_up(ClientConnection const& client);
  std::optional<LegEnd> read_some(bool is_head);
  /// What ends a wait besides the engine; `answered` when nothing does.
  LegEnd interrupted(ClientConnection const& client) const;
  LegEnd engine_left();
  bool may_be_stale() const noexcept;
  void tell_sent();
  /// What the bytes in buffer_ amount to so far; nullopt: more is needed.
  std::optional<LegEnd> examine(bool is_head);
  std::optional<LegEnd> examine_head(bool is_head);
  LegEnd malformed(std::string_view trouble);

  Worker& worker_;
  http::Wake& wake_;
  http::Deadline deadline_;
  std::shared_ptr<fleet::Endpoint> endpoint_;
  std::unique_ptr<http::EngineConnection> connection_;
  http::PooledBuffer buffer_;
  http::ResponseHead& head_;
  http::BodyTracker tracker_;
  std::size_t sent_ = 0, head_size_ = 0, scanned_ = 0;
  std::string_view trouble_;
  http::Deadline const* total_ = nullptr;
  SentListener* on_sent_ = nullptr;    // until it has been told
  Clock::time_point begun_{};
  bool sent_all_ = false, send_failed_ = false, ended_ = false, spoke_ = false, connect_timed_out_ = false;
};

}  // namespace kvgate::proxy
