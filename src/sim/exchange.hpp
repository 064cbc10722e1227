// One request being answered on one connection: writes what the endpoint says, as uvicorn would, and misbehaves on
// demand.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "sim/fault.hpp"
#include "sim/message.hpp"
#include "sim/state.hpp"

namespace kvgate::sim {

/// Lives in the frame of its session, which owns the socket. The writers return false when the connection is gone, by
/// the client or by a fault: the endpoint then just returns. They throw system_error only when the coroutine is
/// cancelled.
class Exchange {
 public:
  Exchange(EngineState& engine, boost::asio::ip::tcp::socket& socket, Request request);

  EngineState& engine() noexcept { return engine_; }
  Request& request() noexcept { return request_; }

  /// What is to go wrong from the head on.
  void arm(Fault const& fault) noexcept { fault_ = fault; }

  /// Writes a whole answer.
  boost::asio::awaitable<bool> send(Reply reply);

  /// A stream: the head at once, then each event as one chunk in one write, then the final chunk.
  boost::asio::awaitable<bool> open_stream();
  boost::asio::awaitable<bool> event(std::string const& text);
  boost::asio::awaitable<bool> close_stream();

  /// Ends the connection now: by RST or by FIN.
  void drop(bool reset);

  /// Nothing happens any more until the client leaves.
  boost::asio::awaitable<void> silence();

  bool complete() const noexcept { return status_ != 0; }  ///< the whole answer has been written
  int status() const noexcept { return status_; }          ///< of a complete answer; else 0
  bool dropped() const noexcept { return dropped_; }       ///< it was the engine that ended it

 private:
  std::string head(Reply const& reply, bool stream) const;
  boost::asio::awaitable<bool> write(std::string const& bytes);  // a local of the caller, no temporary
  boost::asio::awaitable<bool> strike_after(std::uint32_t events);

  EngineState& engine_;
  boost::asio::ip::tcp::socket& socket_;
  Request request_;
  std::string echoed_id_;  // for x-request-id; empty: not sent
  Fault fault_;
  std::uint32_t events_ = 0;
  int status_ = 0;
  bool dropped_ = false;
};

}  // namespace kvgate::sim
