// The answer's way from the engine to the client: bytes as they came, each read passed on in the same turn of the loop.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/ascii.hpp"
#include "openai/error_body.hpp"
#include "proxy/exchange.hpp"
#include "proxy/heads.hpp"
#include "proxy/worker.hpp"

namespace kvgate::proxy {
namespace {

using http::Awaitable;
using http::Framing;
using http::IoState;

constexpr std::uint32_t kBurst = 16;   // reads in a row

bool is_event_stream(http::ResponseHead const& head) {
  constexpr std::string_view kType = "text/event-stream";
  auto const type = head.fields.find("content-type").value_or("");
  return iequals(type.substr(0, kType.size()), kType);
}

/// "least_loaded fewest_in_flight got=3".
std::string decision_text(Decision const& decision) {
  std::string text(decision.policy);
  text.append(" ").append(decision.why.code);
  if (decision.why.got) text.append(" got=").append(std::to_string(decision.why.got));
  if (decision.why.wanted) text.append(" wanted=").append(std::to_string(decision.why.wanted));
  return text;
}

std::string as_chunk(std::string_view data) {
  char size[16];
  auto const end = std::to_chars(size, size + sizeof size, data.size(), 16).ptr;
  return std::string(size, end).append("\r\n").append(data).append("\r\n");
}

}  // namespace

void Exchange::begin_answer() {
  auto const& head = leg_.head();
  status_ = head.status;
  engine_keeps_ = head.keep_alive && head.framing != Framing::until_close;
  stream_ = is_event_stream(head);
  scan_ = !head.fields.find("content-encoding") && !is_head_;
  dechunk_ = client_minor_ == 0 && head.framing == Framing::chunked;
  close_ = !keep_alive_ || dechunk_ || head.framing == Framing::until_close ||
           worker_.shared.stage.load(std::memory_order_relaxed) != LifeStage::serving;
  last_bytes_ = Clock::now();
  ttft_ = last_bytes_ - client_.arrived();
  prefill_ = lease_.prefill_done(last_bytes_);
  counted_.first_body_byte();
  if (status_ / 100 == 2) series_->ttft(std::chrono::duration<double>(*ttft_).count());
  ClientHeadInput in{head, input_.request_id, client_minor_, close_, input_.cors_origin, {}, {}};
  std::string decision;
  if (worker_.shared.config.http.debug_headers) {
    decision = decision_text(decision_);
    in.engine = decision_.endpoint->url();
    in.decision = decision;
  }
  write_client_head(in, scratch_->client_head);
}

void Exchange::learn_response_id(std::string_view payload) {
  if (body_.view.api != openai::ApiKind::responses || scratch_->response_id.id()) return;
  scratch_->response_id.feed(payload);
  if (scratch_->response_id.id()) worker_.shared.responses.learn(*scratch_->response_id.id(), decision_.endpoint);
}

/// Feeds what lies in `buffer` behind `from` to the tracker; returns how many bytes there are for the client. Chunked
/// framing is taken out, in place, for clients that do not know it.
std::size_t Exchange::take(http::Buffer& buffer, std::size_t from) {
  char* out = buffer.data() + from;
  auto const fed = leg_.tracker().feed(buffer.view().substr(from), [&](std::string_view payload) {
    payload_ += payload.size();
    if (scan_) {
      scratch_->usage.feed(payload);
      learn_response_id(payload);
    }
    if (!dechunk_) return;
    std::memmove(out, payload.data(), payload.size());
    out += payload.size();
  });
  if (fed.bad) error_ = Error(ErrorKind::engine_bad_response, "The engine's stream is malformed.");
  engine_dirty_ |= fed.used != buffer.size() - from;   // it sent more than it announced
  return dechunk_ ? static_cast<std::size_t>(out - buffer.data()) - from : fed.used;
}

/// Sends what the socket takes now, which is nearly always all of it; false when the client is gone.
bool Exchange::pass_on(std::string_view head, std::string_view bytes) {
  iovec pieces[2];
  std::size_t count = 0;
  if (!head.empty()) pieces[count++] = {const_cast<char*>(head.data()), head.size()};
  if (!bytes.empty()) pieces[count++] = {const_cast<char*>(bytes.data()), bytes.size()};
  unsent_ = {};
  if (count == 0) return true;
  bytes_out_ += bytes.size();
  auto const sent = client_.write_some(std::span<iovec const>(pieces, count));
  if (!sent) return false;
  auto const head_sent = std::min(*sent, head.size());
  unsent_ = {head.substr(head_sent), bytes.substr(*sent - head_sent)};
  return true;
}

/// The client reads slowly: waits until it has taken the rest. The engine is not read meanwhile.
Awaitable<bool> Exchange::pass_on_rest() {
  iovec pieces[2] = {{const_cast<char*>(unsent_[0].data()), unsent_[0].size()},
                     {const_cast<char*>(unsent_[1].data()), unsent_[1].size()}};
  std::span<iovec> const both(pieces);
  co_return co_await client_.write(both, &total_deadline_);
}

/// Waits until the engine has something to read; false when there is no use in waiting (error_ says why).
Awaitable<bool> Exchange::await_more() {
  auto& engine = leg_.stream();
  gap_deadline_.set_after(limits_.between_bytes);
  while (!engine.can_recv()) {
    if (client_.gone()) {
      error_ = Error(ErrorKind::client_gone);
    } else if (worker_.shared.stage.load(std::memory_order_relaxed) == LifeStage::killed) {
      error_ = Error(ErrorKind::shutting_down, "The gate is shutting down.");
    } else if (gap_deadline_.expired() || total_deadline_.expired()) {
      error_ = Error(ErrorKind::engine_timeout, "The engine's stream stood still for too long.");
    } else if (grace_deadline_.expired()) {
      error_ = Error(ErrorKind::engine_lost, "The engine was declared down and its stream is silent.");
    }
    if (error_) co_return false;
    bool const down = decision_.endpoint->health() == fleet::Health::down;
    if (down && !grace_deadline_.is_set()) grace_deadline_.set_after(worker_.shared.config.engine.dead_grace);
    if (!down) grace_deadline_.clear();
    co_await client_.wake().wait();
  }
  grace_deadline_.clear();
  gap_deadline_.clear();
  co_return true;
}

/// One large answer must not keep the worker from everything else.
Awaitable<void> Exchange::let_others_run() {
  worker_.yield(client_.wake());
  co_await client_.wake().wait();
  worker_.no_longer_yields(client_.wake());
}

/// Why the client did not take what it was sent.
Error Exchange::not_passed() const {
  if (total_deadline_.expired()) return Error(ErrorKind::engine_timeout, "The answer took too long.");
  if (!client_.gone() && worker_.shared.stage.load(std::memory_order_relaxed) == LifeStage::killed)
    return Error(ErrorKind::shutting_down, "The gate is shutting down.");
  return Error(ErrorKind::client_gone);
}

/// Events of one read share the time since the read before.
void Exchange::note_events() {
  auto const fresh = scratch_->usage.events() - events_seen_;
  if (fresh == 0) return;
  auto const now = Clock::now();
  series_->itl(std::chrono::duration<double>(now - last_bytes_).count() / static_cast<double>(fresh), fresh);
  last_bytes_ = now;
  events_seen_ += fresh;
}

Awaitable<bool> Exchange::relay_body() {
  auto& tracker = leg_.tracker();
  auto& engine = leg_.stream();
  std::uint32_t burst = 0;
  while (!tracker.done() && !leg_.ended() && !error_) {
    if (total_deadline_.expired()) {
      error_ = Error(ErrorKind::engine_timeout, "The answer took too long.");
      co_return false;
    }
    if (engine.can_recv()) {
      if (++burst % kBurst == 0) co_await let_others_run();
    } else if (!co_await await_more()) {
      co_return false;
    }
    auto buffer = worker_.buffers.get();
    auto const got = engine.recv(buffer->data(), buffer->capacity());
    if (got.state == IoState::again) continue;
    if (got.state == IoState::closed && tracker.framing() == Framing::until_close) break;
    if (got.state != IoState::ok) {
      error_ = Error(ErrorKind::engine_lost, "The engine went away in the middle of its answer.");
      co_return false;
    }
    buffer->commit(got.bytes);
    auto const size = take(*buffer, 0);
    if (stream_) note_events();
    bool passed = pass_on({}, {buffer->data(), size});
    if (passed && something_unsent()) passed = co_await pass_on_rest();
    if (!passed || client_.gone()) {
      error_ = not_passed();
      co_return false;
    }
  }
  co_return !error_;
}

bool Exchange::may_inject() const noexcept {
  return stream_ && scan_ && status_ == 200 && scratch_->usage.at_event_boundary() && error_->kind != ErrorKind::client_gone &&
         leg_.tracker().at_boundary();
}

/// The answer cannot be finished: says so in the stream where that is possible, and never lets it look complete.
Awaitable<void> Exchange::break_off() {
  worker_.metrics.error(error_->kind);
  if (error_->kind == ErrorKind::client_gone) {
    series_->client_aborted();
  } else if (error_->kind != ErrorKind::shutting_down) {
    series_->engine_error(error_->kind);
  }
  bool const chunked = leg_.tracker().framing() == Framing::chunked && !dechunk_;
  if (may_inject()) {
    auto const event = openai::error_event(*error_, body_.view.api, input_.route.row->shape);
    auto const text = chunked ? as_chunk(event) : event;
    std::string_view const frame = text;
    co_await client_.write(frame);
  }
  // Where the end of the connection is the end of the body, only a reset tells the client that it was cut.
  if (leg_.tracker().framing() == Framing::until_close || dechunk_) client_.stream().abort();
}

Awaitable<bool> Exchange::relay() {
  begin_answer();
  auto buffer = leg_.take_buffer();
  auto const from = leg_.head_size();
  auto const size = take(*buffer, from);
  events_seen_ = scratch_->usage.events();
  free_body();   // no engine can be asked again from here on
  bool complete = pass_on(scratch_->client_head, {buffer->data() + from, size});
  if (complete && something_unsent()) complete = co_await pass_on_rest();
  if (!complete) error_ = not_passed();
  buffer.reset();
  if (complete && (error_ || !leg_.tracker().done())) complete = co_await relay_body();
  bool const clean = complete && leg_.tracker().done() && engine_keeps_ && !engine_dirty_;
  if (!complete) co_await break_off();
  leg_.release(clean);
  co_return complete && !close_;
}

}  // namespace kvgate::proxy
