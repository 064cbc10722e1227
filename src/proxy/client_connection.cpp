#include "proxy/client_connection.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "base/log.hpp"
#include "proxy/worker.hpp"

namespace kvgate::proxy {
namespace {

using http::Awaitable;
using http::IoState;

constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n";
constexpr std::size_t kLingerBytes = 1024 * 1024;
constexpr std::chrono::seconds kLingerTime{1};
constexpr std::chrono::milliseconds kMemoryRetry{50};

/// What is left of the pieces when so many bytes of them have gone.
std::span<iovec> behind(std::span<iovec> pieces, std::size_t sent) noexcept {
  while (!pieces.empty() && sent >= pieces.front().iov_len) {
    sent -= pieces.front().iov_len;
    pieces = pieces.subspan(1);
  }
  if (pieces.empty()) return pieces;
  pieces.front().iov_base = static_cast<char*>(pieces.front().iov_base) + sent;
  pieces.front().iov_len -= sent;
  return pieces;
}

}  // namespace

ClientConnection::ClientConnection(Worker& worker, int fd, SocketAddress const& peer)
    : worker_(worker), peer_(peer), peer_host_(host_text(peer)),
      peer_trusted_(worker.shared.trusted_proxies.contains(peer)), stream_(fd, worker.poller), deadline_(worker.wheel, wake_),
      memory_(worker.shared.memory), half_close_allowed_(worker.shared.config.http.half_close == "allow") {
  stream_.listen(&wake_);
}

LifeStage ClientConnection::stage() const noexcept { return worker_.shared.stage.load(std::memory_order_relaxed); }

ClientConnection::~ClientConnection() { worker_.metrics.body_released(memory_.taken()); }

bool ClientConnection::killed() const noexcept { return stage() == LifeStage::killed; }

bool ClientConnection::hold(std::size_t bytes) {
  auto const before = memory_.taken();
  if (!memory_.grow_to(bytes)) return false;
  worker_.metrics.body_buffered(memory_.taken() - before);
  return true;
}

ReadState ClientConnection::refuse(ErrorKind kind, std::string message) {
  error_ = Error(kind, std::move(message));
  return ReadState::refused;
}

Awaitable<ReadState> ClientConnection::receive(ErrorKind on_timeout) {
  for (;;) {
    if (stream_.can_recv()) {
      auto const got = stream_.recv(in_->end(), in_->room());
      if (got.state == IoState::ok) {
        in_->commit(got.bytes);
        co_return ReadState::ready;
      }
      if (got.state != IoState::again) co_return ReadState::closed;
    }
    if (killed() || (in_head_ && stage() >= LifeStage::draining)) co_return ReadState::closed;
    if (deadline_.expired()) co_return refuse(on_timeout, "the request was not complete in time");
    co_await wake_.wait();
  }
}

/// Waits for the first byte of a request; an empty line before it (RFC 9112 2.2) is none. No buffer is held meanwhile.
Awaitable<ReadState> ClientConnection::await_request() {
  deadline_.set_after(worker_.shared.config.http.idle_timeout);
  for (;;) {
    while (in_ && in_->view().starts_with("\r\n")) in_->erase_front(2);
    if (in_ && in_->size() > 0) co_return ReadState::ready;
    in_.reset();
    while (!stream_.can_recv()) {
      if (deadline_.expired() || stage() >= LifeStage::draining) co_return ReadState::closed;
      co_await wake_.wait();
    }
    in_ = worker_.buffers.get();
    auto const got = stream_.recv(in_->end(), in_->room());
    if (got.state == IoState::ok) in_->commit(got.bytes);
    if (got.state == IoState::closed || got.state == IoState::error) co_return ReadState::closed;
  }
}

Awaitable<ReadState> ClientConnection::read_head() {
  auto const& config = worker_.shared.config.http;
  head_.reset();
  if (auto const state = co_await await_request(); state != ReadState::ready) co_return state;
  arrived_ = Clock::now();
  in_head_ = true;
  deadline_.clear();
  if (config.head_timeout.count()) deadline_.set_at(arrived_ + config.head_timeout);
  std::size_t scanned = 0;
  for (;;) {
    auto const size = http::find_head_end(in_->view(), scanned);
    if (size > config.max_head || (size == 0 && in_->size() >= config.max_head))
      co_return refuse(ErrorKind::head_too_large, "the request head is over " + std::to_string(config.max_head) + " bytes");
    if (size) co_return take_head(size);
    if (in_->room() == 0) in_->reserve(config.max_head);
    if (auto const state = co_await receive(ErrorKind::request_timeout); state != ReadState::ready) co_return state;
  }
}

ReadState ClientConnection::take_head(std::size_t size) {
  deadline_.clear();
  in_head_ = false;
  auto const bytes = in_->view().substr(0, size);
  if (bytes.starts_with(kHttp2Preface)) {
    log::info("closed a connection from {}: it speaks HTTP/2, the gate HTTP/1.1", host_text(peer_));
    return ReadState::closed;
  }
  head_size_ = body_at_ = next_at_ = raw_at_ = size;
  body_size_ = 0;
  if (auto const* wrong = http::parse_request_head(bytes, head_))
    return refuse(wrong == http::kTooManyFields ? ErrorKind::head_too_large : ErrorKind::bad_request, wrong);
  if (head_.content_length > worker_.shared.config.http.max_body) {
    return refuse(ErrorKind::body_too_large, "the request body is over " +
                                                 std::to_string(worker_.shared.config.http.max_body) + " bytes");
  }
  return ReadState::ready;
}

Awaitable<bool> ClientConnection::send_continue() {
  bool const nothing_came = in_->size() == body_at_;
  if (!head_.expect_continue || head_.framing == http::Framing::none || !nothing_came) co_return true;
  std::string_view const interim = "HTTP/1.1 100 Continue\r\n\r\n";
  co_return co_await write(interim);
}

bool ClientConnection::take_body() {
  auto const need = body_at_ + static_cast<std::size_t>(head_.content_length);
  if (head_.framing == http::Framing::none) return true;
  if (head_.framing != http::Framing::sized || in_->size() < need || !hold(need)) return false;
  body_size_ = need - body_at_;
  next_at_ = need;
  return true;
}

Awaitable<ReadState> ClientConnection::read_body() {
  if (!co_await send_continue()) co_return ReadState::closed;
  auto state = ReadState::ready;
  if (head_.framing == http::Framing::chunked) state = co_await read_chunked();
  if (head_.framing == http::Framing::sized) state = co_await read_sized();
  deadline_.clear();
  co_return state;
}

Awaitable<ReadState> ClientConnection::make_room(std::size_t capacity) {
  auto const give_up = Clock::now() + worker_.shared.config.http.body_timeout / 2;
  while (!hold(capacity)) {   // reading pauses while limits.memory is used up
    if (Clock::now() >= give_up)
      co_return refuse(ErrorKind::out_of_memory, "limits.memory is used up by requests in progress");
    if (killed() || gone()) co_return ReadState::closed;
    deadline_.set_after(kMemoryRetry);
    co_await wake_.wait();
  }
  if (!in_->reserve(capacity)) co_return refuse(ErrorKind::out_of_memory, "out of memory");
  // The head's views point into the buffer, which may have moved.
  http::parse_request_head(in_->view().substr(0, head_size_), head_);
  co_return ReadState::ready;
}

Awaitable<ReadState> ClientConnection::read_sized() {
  auto const& config = worker_.shared.config.http;
  auto const need = body_at_ + static_cast<std::size_t>(head_.content_length);
  while (in_->size() < need) {
    // Grown step by step: an announced length alone takes no memory.
    auto const want = std::min(need, std::max(in_->capacity(), in_->size() * 2));
    if (want > in_->capacity() || in_->room() == 0) {
      if (auto const state = co_await make_room(want); state != ReadState::ready) co_return state;
    }
    deadline_.set_after(config.body_timeout);
    if (auto const state = co_await receive(ErrorKind::request_timeout); state != ReadState::ready) co_return state;
  }
  body_size_ = static_cast<std::size_t>(head_.content_length);
  next_at_ = need;
  if (hold(need)) co_return ReadState::ready;
  co_return co_await make_room(in_->capacity());
}

http::ChunkTracker::Event ClientConnection::decode_chunks() {
  using Event = http::ChunkTracker::Event;
  for (;;) {
    auto const step = chunks_.next(in_->view().substr(raw_at_));
    raw_at_ += step.used;
    if (step.event != Event::payload) return step.event;
    std::memmove(in_->data() + body_at_ + body_size_, step.payload.data(), step.payload.size());
    body_size_ += step.payload.size();
  }
}

Awaitable<ReadState> ClientConnection::read_chunked() {
  using Event = http::ChunkTracker::Event;
  auto const& config = worker_.shared.config.http;
  chunks_.reset();
  for (;;) {
    auto const event = decode_chunks();
    if (event == Event::bad) co_return refuse(ErrorKind::bad_request, "the chunked request body is malformed");
    if (body_size_ > config.max_body) {
      co_return refuse(ErrorKind::body_too_large,
                       "the request body is over " + std::to_string(config.max_body) + " bytes");
    }
    if (event == Event::done) break;
    in_->resize(body_at_ + body_size_);   // what was decoded needs its raw form no more
    raw_at_ = in_->size();
    if (in_->room() < http::kBufferSize / 4) {
      if (auto const state = co_await make_room(in_->capacity() * 2); state != ReadState::ready) co_return state;
    }
    deadline_.set_after(config.body_timeout);
    if (auto const state = co_await receive(ErrorKind::request_timeout); state != ReadState::ready) co_return state;
  }
  next_at_ = raw_at_;
  if (hold(body_at_ + body_size_)) co_return ReadState::ready;
  co_return co_await make_room(in_->capacity());
}

void ClientConnection::release_request() {
  worker_.metrics.body_released(memory_.taken());
  memory_.release();
  head_.reset();
  head_size_ = body_at_ = body_size_ = raw_at_ = 0;
  if (!in_ || next_at_ == 0) return;
  auto const rest = in_->view().substr(std::exchange(next_at_, 0));
  if (rest.empty()) {
    in_.reset();
    return;
  }
  auto kept = worker_.buffers.get();
  kept->append(rest);
  in_ = std::move(kept);
}

std::optional<std::size_t> ClientConnection::write_some(std::span<iovec const> pieces) {
  auto const sent = stream_.send(pieces);
  if (sent.state == IoState::ok) return sent.bytes;
  if (sent.state == IoState::again) return 0;
  return std::nullopt;
}

/// Until the socket takes more; false when that is not worth waiting for.
Awaitable<bool> ClientConnection::await_room(http::Deadline const* limit) {
  while (!stream_.can_send()) {
    if (gone() || killed() || deadline_.expired() || (limit && limit->expired())) {
      stream_.abort();   // a FIN would wait behind what it does not read
      co_return false;
    }
    co_await wake_.wait();
  }
  co_return true;
}

Awaitable<bool> ClientConnection::write(std::span<iovec> pieces, http::Deadline const* limit) {
  deadline_.clear();
  bool there = true;
  while (there && !pieces.empty()) {
    auto const sent = write_some(pieces);
    there = sent && !gone();
    if (there) pieces = behind(pieces, *sent);
    if (!there || pieces.empty()) break;
    if (*sent || !deadline_.is_set()) deadline_.set_after(worker_.shared.config.http.write_timeout);
    there = co_await await_room(limit);
  }
  deadline_.clear();
  co_return there;
}

Awaitable<bool> ClientConnection::write(std::string_view bytes) {
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  std::span<iovec> const pieces(&piece, 1);
  co_return co_await write(pieces);
}

Awaitable<void> ClientConnection::linger() {
  shutdown(stream_.fd(), SHUT_WR);
  if (!in_) in_ = worker_.buffers.get();
  deadline_.set_after(kLingerTime);
  for (std::size_t dropped = 0; dropped < kLingerBytes;) {
    if (stream_.can_recv()) {
      auto const got = stream_.recv(in_->data(), in_->capacity());
      if (got.state == IoState::ok) dropped += got.bytes;
      if (got.state == IoState::closed || got.state == IoState::error) co_return;
      continue;
    }
    if (deadline_.expired() || killed()) co_return;
    co_await wake_.wait();
  }
}

}  // namespace kvgate::proxy
