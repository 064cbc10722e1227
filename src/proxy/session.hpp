// One client connection from accept to close: one coroutine that reads requests and answers them in order.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/async.hpp"
#include "kvgate/error.hpp"
#include "openai/api.hpp"
#include "proxy/client_connection.hpp"
#include "proxy/exchange.hpp"
#include "proxy/own_answer.hpp"

namespace kvgate::proxy {

class Worker;
struct OwnAnswer;
struct OwnRequest;

class Session {
 public:
  Session(Worker& worker, int fd, SocketAddress const& peer, bool admin);
  ~Session();

  /// Runs the session to its end; owns it by value.
  static http::Awaitable<void> run(std::unique_ptr<Session> session);
  http::Wake& wake() noexcept { return client_.wake(); }

 private:
  friend class Worker;
  http::Awaitable<void> serve();
  /// One request whose head is there. True: the connection may carry another.
  http::Awaitable<bool> handle();
  http::Awaitable<bool> refuse(Error const& error, openai::ErrorShape shape = openai::ErrorShape::openai);
  http::Awaitable<bool> decline(Error const& error, openai::ErrorShape shape = openai::ErrorShape::openai);
  void note(Error const& error);
  OwnReply own_reply(bool close) const;
  http::Awaitable<bool> await_body(openai::RouteMatch& route, openai::Target& target);
  http::Awaitable<bool> preflight();
  http::Awaitable<bool> own(openai::RouteMatch route, openai::Target target);
  http::Awaitable<bool> explained(openai::RouteMatch route, openai::Target target);
  http::Awaitable<bool> reply(OwnAnswer const& answer);
  http::Awaitable<OwnAnswer> from_elsewhere(OwnRequest const& request);

  bool trusted() const;
  bool closing() const noexcept;
  openai::ErrorShape shape_by_path() const noexcept;
  void name_request();

  Worker& worker_;
  ClientConnection client_;
  std::optional<Exchange> exchange_;   // of the request in progress
  bool admin_;
  std::size_t slot_ = 0;             // in the worker's list
  std::string request_id_;
  std::string cors_;
};

}  // namespace kvgate::proxy
