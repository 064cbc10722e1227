#include "proxy/session.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <optional>

#include "base/access_log.hpp"
#include "base/log.hpp"
#include "openai/error_body.hpp"
#include "proxy/exchange.hpp"
#include "proxy/heads.hpp"
#include "proxy/explain.hpp"
#include "proxy/own_answer.hpp"
#include "proxy/worker.hpp"

namespace kvgate::proxy {
namespace {

using http::Awaitable;
using openai::OwnEndpoint;

constexpr std::uint64_t kDroppedBody = 1024 * 1024;   // read and dropped to keep a connection

bool is_limit(ErrorKind kind) noexcept {
  return kind == ErrorKind::body_too_large || kind == ErrorKind::head_too_large || kind == ErrorKind::request_timeout ||
         kind == ErrorKind::out_of_memory;
}

bool is_loopback(std::string_view host) {
  return host == "::1" || host.starts_with("127.");
}

/// Counts a request in progress, however it ends.
class Busy {
 public:
  explicit Busy(std::atomic<std::size_t>& count) : count_(count) { count_.fetch_add(1, std::memory_order_relaxed); }
  Busy(Busy const&) = delete;
  Busy& operator=(Busy const&) = delete;
  ~Busy() { count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t>& count_;
};

void append_hex(std::string& out, std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) out.push_back(kDigits[(value >> shift) & 15]);
}

/// Compares in a time that does not tell how much of a key was right.
bool same_secret(std::string_view a, std::string_view b) noexcept {
  unsigned char differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) differs |= static_cast<unsigned char>(a[i] ^ (i < b.size() ? b[i] : 0));
  return differs == 0;
}

bool guarded(OwnEndpoint endpoint) noexcept {
  return endpoint == OwnEndpoint::engines || endpoint == OwnEndpoint::config || endpoint == OwnEndpoint::explain;
}

bool is_admin_only(OwnEndpoint endpoint) noexcept {
  return endpoint != OwnEndpoint::models && endpoint != OwnEndpoint::model;
}

}  // namespace

Session::Session(Worker& worker, int fd, SocketAddress const& peer, bool admin)
    : worker_(worker), client_(worker, fd, peer), admin_(admin) {
  worker_.enlist(*this);
}

Session::~Session() { worker_.dismiss(*this); }

Awaitable<void> Session::run(std::unique_ptr<Session> session) { co_await session->serve(); }

Awaitable<void> Session::serve() {
  for (bool more = true; more;) {
    auto const state = co_await client_.read_head();
    if (state == ReadState::closed) co_return;
    Busy const busy(worker_.busy_);
    name_request();
    if (state == ReadState::refused) {
      more = co_await refuse(client_.error(), shape_by_path());
    } else {
      more = co_await handle();
    }
    exchange_.reset();
    client_.release_request();
  }
}

/// The shape of errors where no row of the route table says it.
openai::ErrorShape Session::shape_by_path() const noexcept {
  bool const messages = client_.head().target.starts_with("/v1/messages");
  return messages ? openai::ErrorShape::anthropic : openai::ErrorShape::openai;
}

bool Session::closing() const noexcept {
  return !client_.head().keep_alive || worker_.shared.stage.load(std::memory_order_relaxed) != LifeStage::serving;
}

void Session::name_request() {
  auto const given = client_.head().fields.find("x-request-id");
  if (given && acceptable_request_id(*given)) {
    request_id_ = *given;
  } else {
    request_id_.clear();
    append_hex(request_id_, worker_.random.next());
    append_hex(request_id_, worker_.random.next());
  }
  auto const& allowed = worker_.shared.config.http.cors_origins;
  cors_.clear();
  if (allowed.empty()) return;
  auto const origin = client_.head().fields.find("origin").value_or("");
  if (std::ranges::find(allowed, "*") != allowed.end()) {
    cors_ = "*";
  } else if (std::ranges::find(allowed, origin) != allowed.end()) {
    cors_ = origin;
  }
}

void Session::note(Error const& error) {
  worker_.metrics.error(error.kind);
  auto const took = Clock::now() - client_.arrived();
  worker_.metrics.request_series(metrics::kNoRoute, 0, 0)
      ->finished(http_status(error.kind), std::chrono::duration<double>(took).count());
  if (worker_.shared.config.log.access) {
    log::AccessRecord line;
    line.request_id = request_id_;
    line.status = http_status(error.kind);
    line.error = error.kind;
    line.total = took;
    log::access(std::move(line));
  }
  auto const level = is_limit(error.kind) ? log::Level::info : log::Level::debug;
  log::event(level, "request refused",
             {{"id", request_id_}, {"client", client_.peer_host()}, {"status", http_status(error.kind)},
              {"error", to_string(error.kind)}, {"reason", error.message}});
}

OwnReply Session::own_reply(bool close) const {
  OwnReply reply;
  reply.request_id = request_id_;
  reply.cors_origin = cors_;
  reply.close = close;
  reply.keep_alive_said = client_.head().minor == 0;
  reply.no_body = client_.head().method == "HEAD";
  return reply;
}

/// Answers a sound request that goes nowhere; the connection stays, unless the body is not worth reading for that.
Awaitable<bool> Session::decline(Error const& error, openai::ErrorShape shape) {
  auto const& head = client_.head();
  bool const not_worth_it = head.content_length > kDroppedBody || head.framing == http::Framing::chunked;
  if (head.expect_continue || not_worth_it) co_return co_await refuse(error, shape);
  auto const state = co_await client_.read_body();
  if (state == ReadState::closed) co_return false;
  if (state == ReadState::refused) co_return co_await refuse(client_.error(), shape);
  note(error);
  bool const close = closing();
  auto reply = own_reply(close);
  reply.shape = shape;
  auto const text = error_reply(error, reply);
  std::string_view const bytes = text;
  co_return co_await client_.write(bytes) && !close;
}

/// Answers with an error of the gate and ends the connection, since what the client still sends is not known.
Awaitable<bool> Session::refuse(Error const& error, openai::ErrorShape shape) {
  note(error);
  auto reply = own_reply(true);
  reply.shape = shape;
  auto const text = error_reply(error, reply);
  std::string_view const bytes = text;
  if (co_await client_.write(bytes)) co_await client_.linger();
  co_return false;
}

Awaitable<bool> Session::handle() {
  if (client_.head().method == "OPTIONS" && !cors_.empty()) co_return co_await preflight();
  auto target = openai::split_target(client_.head().target);
  if (!target) co_return co_await decline(target.error());
  auto route = worker_.shared.routes.find(client_.head().method, target->path);
  if (!route) co_return co_await decline(route.error(), shape_by_path());
  bool const is_own = route->row->own != OwnEndpoint::none;
  bool const elsewhere = admin_ ? !is_own : is_own && is_admin_only(route->row->own) && worker_.shared.config.admin.port;
  if (elsewhere) {
    Error error(ErrorKind::not_found, admin_ ? "This is the admin port." : "This endpoint is on the admin port.");
    co_return co_await decline(error);
  }
  if (is_own) co_return co_await own(*route, *target);
  if (auto error = check_encoding(worker_, client_.head())) co_return co_await decline(*error, route->row->shape);
  if (!client_.take_body() && !co_await await_body(*route, *target)) co_return false;
  exchange_.emplace(worker_, client_, ExchangeInput{*route, *target, request_id_, cors_});
  co_return co_await exchange_->run();
}

/// Waits for the body; false when there is nothing to go on with. The buffer may have moved meanwhile: the views are made
/// anew.
Awaitable<bool> Session::await_body(openai::RouteMatch& route, openai::Target& target) {
  auto const state = co_await client_.read_body();
  if (state == ReadState::refused) co_await refuse(client_.error(), route.row->shape);
  if (state != ReadState::ready) co_return false;
  target = *openai::split_target(client_.head().target);
  route = *worker_.shared.routes.find(client_.head().method, target.path);
  co_return true;
}

Awaitable<bool> Session::preflight() {
  OwnHead head;
  head.status = 204;
  head.content_type = {};
  head.content_length.reset();
  head.request_id = request_id_;
  head.cors_origin = cors_;
  head.close = closing();
  std::string text;
  write_own_head(head, text);
  auto const asked = client_.head().fields.find("access-control-request-headers").value_or("*");
  std::string extra = "Access-Control-Allow-Methods: GET, POST, DELETE, OPTIONS\r\nAccess-Control-Allow-Headers: ";
  extra.append(asked).append("\r\nAccess-Control-Max-Age: 600\r\n");
  text.insert(text.size() - 2, extra);
  std::string_view const bytes = text;
  co_return co_await client_.write(bytes) && !head.close && client_.take_body();
}

/// A proxy on this machine speaks for others: what it forwards is not trusted for its loopback address.
bool Session::trusted() const {
  bool const forwarded = client_.head().fields.find("x-forwarded-for") || client_.head().fields.find("forwarded");
  if (admin_ || (is_loopback(client_.peer_host()) && !forwarded)) return true;
  auto const& key = worker_.shared.config.admin.key;
  auto const given = client_.head().fields.find("authorization").value_or("");
  constexpr std::string_view kBearer = "Bearer ";
  return !key.empty() && given.starts_with(kBearer) && same_secret(given.substr(kBearer.size()), key);
}

Awaitable<bool> Session::own(openai::RouteMatch route, openai::Target target) {
  OwnRequest const request{route.row->own, std::string(route.segment), trusted()};
  if (guarded(request.endpoint) && !request.trusted) {
    Error error(ErrorKind::forbidden, "Open to loopback, on the admin port, and with the admin key.");
    co_return co_await decline(error);
  }
  if (request.endpoint == OwnEndpoint::explain) co_return co_await explained(route, target);
  if (!client_.take_body()) {   // a GET may carry a body that came with it, for nothing
    Error error(ErrorKind::bad_request, "This endpoint takes no body.");
    co_return co_await refuse(error);
  }
  if (request.endpoint == OwnEndpoint::metrics) {
    auto const answer = co_await from_elsewhere(request);
    co_return co_await reply(answer);
  }
  auto const answer = worker_.shared.own.answer(request);
  co_return co_await reply(answer);
}

Awaitable<bool> Session::explained(openai::RouteMatch route, openai::Target target) {
  if (!client_.take_body() && !co_await await_body(route, target)) co_return false;
  auto record = explain(worker_, {client_.head(), target.path_and_query, client_.body(), request_id_});
  if (!record) {
    note(record.error());
    bool const close = closing();
    auto const text = error_reply(record.error(), own_reply(close));
    std::string_view const bytes = text;
    co_return co_await client_.write(bytes) && !close;
  }
  OwnAnswer const answer{200, "application/json", std::move(*record)};
  co_return co_await reply(answer);
}

/// Waits for an answer that is made on another thread. It comes back through this worker's queue; the session waits for it
/// even when the client leaves, so that nothing it refers to goes away.
Awaitable<OwnAnswer> Session::from_elsewhere(OwnRequest const& request) {
  std::optional<OwnAnswer> answer;
  auto back = [this, &answer](OwnAnswer made) {
    auto deliver = [this, &answer, made = std::move(made)]() mutable {
      answer = std::move(made);
      client_.wake().notify();
    };
    worker_.post(std::move(deliver));
  };
  worker_.shared.own.answer_elsewhere(request, std::move(back));
  while (!answer) co_await client_.wake().wait();
  co_return std::move(*answer);
}

Awaitable<bool> Session::reply(OwnAnswer const& answer) {
  bool const close = closing();
  auto const how = own_reply(close);
  std::string text;
  if (answer.status == 404) {
    Error const unknown(ErrorKind::model_not_found, answer.body, "model");
    text = error_reply(unknown, how);
  } else {
    text = plain_reply(answer.status, answer.content_type, answer.body, how);
  }
  std::string_view const bytes = text;
  co_return co_await client_.write(bytes) && !close;
}

}  // namespace kvgate::proxy
