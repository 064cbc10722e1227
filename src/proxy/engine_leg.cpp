#include "proxy/engine_leg.hpp"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "http/tls_context.hpp"
#include "proxy/worker.hpp"

namespace kvgate::proxy {
namespace {

using http::Awaitable;
using http::IoState;

bool killed(Worker const& worker) noexcept {
  return worker.shared.stage.load(std::memory_order_relaxed) == LifeStage::killed;
}

constexpr std::chrono::milliseconds kIdleDeath{100};

std::string_view connect_trouble(int error) noexcept {
  if (error == ECONNREFUSED) return "connect_refused";
  return error == EMFILE || error == ENFILE ? "no_descriptor" : "connect_failed";
}

}  // namespace

EngineLeg::EngineLeg(Worker& worker, http::Wake& wake, http::ResponseHead& head)
    : worker_(worker), wake_(wake), deadline_(worker.wheel, wake), head_(head) {}

LegEnd EngineLeg::fail(LegEnd end, std::string_view trouble) {
  trouble_ = trouble;
  deadline_.clear();
  release(false);
  return end;
}

LegEnd EngineLeg::interrupted(ClientConnection const& client) const {
  if (client.gone()) return LegEnd::client_gone;
  if (total_->expired()) return LegEnd::timed_out;
  return killed(worker_) ? LegEnd::killed : LegEnd::answered;
}

Awaitable<LegEnd> EngineLeg::run(std::shared_ptr<fleet::Endpoint> const& endpoint, Request const& request,
                                 ClientConnection& client, http::Deadline const& total) {
  endpoint_ = endpoint;
  total_ = &total;
  on_sent_ = request.on_sent;
  sent_all_ = send_failed_ = ended_ = spoke_ = connect_timed_out_ = false;
  sent_ = scanned_ = head_size_ = 0;
  trouble_ = {};
  connection_ = request.fresh_connection ? nullptr : worker_.engines.take(endpoint_.get());
  if (connection_) {
    worker_.metrics.engine_connection_reused();
    connection_->stream().listen(&wake_);
  } else if (auto const end = co_await connect(client); end != LegEnd::answered) {
    co_return end;
  }
  auto& engine = connection_->stream();
  deadline_.set_after(request.first_byte_limit);
  begun_ = Clock::now();
  // An answer that comes before the whole request was taken is an answer all the same (413, 400 …).
  for (;;) {
    if (wants_to_send()) send_some(request);
    if (on_sent_) tell_sent();
    if (engine.can_recv()) {
      if (auto const end = read_some(request.is_head)) co_return *end;
    } else if (!wants_to_send()) {
      if (auto const end = given_up(client)) co_return *end;
      co_await wake_.wait();
    }
  }
}

Awaitable<LegEnd> EngineLeg::connect(ClientConnection& client) {
  auto const addresses = endpoint_->addresses();
  trouble_ = "name_not_resolved";
  for (auto const& address : *addresses) {
    deadline_.set_after(worker_.shared.config.engine.connect_timeout / static_cast<int>(addresses->size()));
    auto const end = co_await connect_to(address, client);
    if (end == LegEnd::not_sent) continue;
    if (end != LegEnd::answered) co_return fail(end, trouble_);
    if (endpoint_->spec().url.tls) co_return co_await handshake(client);
    deadline_.clear();
    co_return end;
  }
  worker_.shared.resolve_again(endpoint_);
  co_return fail(LegEnd::not_sent, trouble_);
}

/// `answered` here means connected.
Awaitable<LegEnd> EngineLeg::connect_to(SocketAddress const& address, ClientConnection& client) {
  int const fd = http::start_connect(address);
  if (fd < 0) {
    trouble_ = connect_trouble(errno);
    co_return LegEnd::not_sent;
  }
  auto stream = std::make_unique<http::TcpStream>(fd, worker_.poller);
  stream->listen(&wake_);
  while (!stream->can_send()) {
    if (auto const end = interrupted(client); end != LegEnd::answered) co_return end;
    if (deadline_.expired()) {
      connect_timed_out_ = true;
      trouble_ = "connect_timeout";
      co_return LegEnd::not_sent;
    }
    co_await wake_.wait();
  }
  if (stream->broken()) {
    trouble_ = connect_trouble(http::connect_error(fd));
    co_return LegEnd::not_sent;
  }
  connection_ = std::make_unique<http::EngineConnection>(std::move(stream), worker_.wheel);
  worker_.metrics.engine_connection_opened();
  co_return LegEnd::answered;
}

Awaitable<LegEnd> EngineLeg::handshake(ClientConnection& client) {
  // TLS takes the descriptor over; a duplicate outlives the plain stream and is registered anew.
  int const fd = dup(connection_->stream().fd());
  connection_.reset();
  auto stream = fd < 0 ? nullptr
                       : http::make_tls_stream(fd, worker_.poller, worker_.shared.tls, endpoint_->spec().url.host);
  if (!stream) co_return fail(LegEnd::not_sent, "no_descriptor");
  stream->listen(&wake_);
  connection_ = std::make_unique<http::EngineConnection>(std::move(stream), worker_.wheel);
  auto& tls = connection_->stream();
  for (;;) {
    auto const state = tls.handshake().state;
    if (state == IoState::ok) {
      deadline_.clear();
      co_return LegEnd::answered;
    }
    if (state != IoState::again) co_return fail(LegEnd::not_sent, "tls_failed");
    while (!tls.can_recv()) {
      if (auto const end = interrupted(client); end != LegEnd::answered) co_return fail(end, "interrupted");
      if (deadline_.expired()) {
        connect_timed_out_ = true;
        co_return fail(LegEnd::not_sent, "tls_timeout");
      }
      co_await wake_.wait();
    }
  }
}

bool EngineLeg::wants_to_send() const noexcept {
  return !sent_all_ && !send_failed_ && connection_->stream().can_send();
}

void EngineLeg::send_some(Request const& request) {
  iovec pieces[2];
  std::size_t count = 0;
  if (sent_ < request.head.size()) {
    auto const rest = request.head.substr(sent_);
    pieces[count++] = {const_cast<char*>(rest.data()), rest.size()};
  }
  auto const body = request.body.substr(sent_ > request.head.size() ? sent_ - request.head.size() : 0);
  if (!body.empty()) pieces[count++] = {const_cast<char*>(body.data()), body.size()};
  auto const result = connection_->stream().send(std::span<iovec const>(pieces, count));
  if (result.state == IoState::ok) sent_ += result.bytes;
  sent_all_ = sent_ == request.head.size() + request.body.size();
  // What the engine said before it closed is still to be read: reading tells that it has left.
  send_failed_ = result.state == IoState::error || result.state == IoState::closed;
}

/// A connection from the pool that dies without a word was merely idle too long, if it dies at once.
bool EngineLeg::may_be_stale() const noexcept {
  return !spoke_ && connection_->reused() && (!sent_all_ || Clock::now() - begun_ < kIdleDeath);
}

void EngineLeg::tell_sent() {
  if (sent_all_ && !may_be_stale()) std::exchange(on_sent_, nullptr)->request_sent();
}

/// The engine went away without an answer.
LegEnd EngineLeg::engine_left() {
  if (may_be_stale()) return fail(LegEnd::stale, "closed_idle");
  return fail(sent_all_ ? LegEnd::lost : LegEnd::not_sent, "closed_before_answer");
}

/// What ends the wait for the answer, besides the answer.
std::optional<LegEnd> EngineLeg::given_up(ClientConnection const& client) {
  if (auto const end = interrupted(client); end != LegEnd::answered) return fail(end, "interrupted");
  if (endpoint_->health() == fleet::Health::down) return fail(sent_all_ ? LegEnd::lost : LegEnd::not_sent, "declared_down");
  if (deadline_.expired()) return fail(LegEnd::timed_out, sent_all_ ? "no_first_byte" : "request_not_taken");
  if (buffer_ && buffer_->size() == 0) buffer_.reset();   // none is held through a long prefill
  return std::nullopt;
}

/// One read; nullopt: more is needed.
std::optional<LegEnd> EngineLeg::read_some(bool is_head) {
  if (!buffer_) buffer_ = worker_.buffers.get();
  if (buffer_->room() == 0) buffer_->reserve(buffer_->capacity() + http::kBufferSize);   // a head near engine.max_head
  auto const got = connection_->stream().recv(buffer_->end(), buffer_->room());
  if (got.state == IoState::again) return std::nullopt;
  std::optional<LegEnd> end = LegEnd::answered;
  if (got.state == IoState::ok) {
    buffer_->commit(got.bytes);
    spoke_ = true;
    end = examine(is_head);
  } else if (got.state == IoState::closed && head_size_ && tracker_.framing() == http::Framing::until_close) {
    ended_ = true;   // an answer without a body
  } else {
    return engine_left();
  }
  if (!end) return std::nullopt;
  if (*end != LegEnd::answered) return fail(*end, trouble_);
  deadline_.clear();
  return end;
}

LegEnd EngineLeg::malformed(std::string_view trouble) {
  trouble_ = trouble;
  return LegEnd::bad_response;
}

/// Takes one head; `answered`: it did. Interim answers end here: the client has had its 100 from the gate.
std::optional<LegEnd> EngineLeg::examine_head(bool is_head) {
  constexpr std::string_view kHttp = "HTTP/1.";
  if (buffer_->view().substr(0, kHttp.size()) != kHttp.substr(0, buffer_->size())) return malformed("not_http");
  auto const size = http::find_head_end(buffer_->view(), scanned_);
  auto const limit = worker_.shared.config.engine.max_head;
  if (size > limit || (size == 0 && buffer_->size() >= limit)) return malformed("head_too_large");
  if (size == 0) return std::nullopt;
  if (http::parse_response_head(buffer_->view().substr(0, size), head_)) return malformed("malformed_head");
  if (head_.status == 101) return malformed("unasked_upgrade");
  if (head_.status < 200) {
    buffer_->erase_front(size);
    scanned_ = 0;
    return LegEnd::answered;
  }
  head_size_ = size;
  if (is_head) head_.framing = http::Framing::none;
  tracker_.start(head_.framing, head_.content_length);
  return LegEnd::answered;
}

std::optional<LegEnd> EngineLeg::examine(bool is_head) {
  while (head_size_ == 0)
    if (auto const head = examine_head(is_head); head != LegEnd::answered) return head;
  switch (tracker_.peek(buffer_->view().substr(head_size_))) {
    case http::BodyTracker::Peek::nothing: return std::nullopt;
    case http::BodyTracker::Peek::something: return LegEnd::answered;
    case http::BodyTracker::Peek::bad: break;
  }
  return malformed("malformed_body");
}

void EngineLeg::release(bool reusable) {
  buffer_.reset();
  if (!connection_) return;
  connection_->stream().listen(nullptr);
  if (!sent_all_) {
    connection_->stream().abort();   // a FIN would wait behind request bytes that the engine does not read
  } else if (reusable) {
    worker_.engines.put(endpoint_.get(), std::move(connection_));
  }
  connection_.reset();
}

}  // namespace kvgate::proxy
