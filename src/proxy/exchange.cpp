#include "proxy/exchange.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "openai/error_body.hpp"
#include "proxy/explain.hpp"
#include "proxy/heads.hpp"
#include "proxy/own_answer.hpp"
#include "proxy/worker.hpp"

namespace kvgate::proxy {
namespace {

using http::Awaitable;

constexpr std::chrono::milliseconds kMemoryRetry{50};
constexpr std::string_view kHeadEnd = "\r\n\r\n";

ErrorKind kind_of(LegEnd end) noexcept {
  switch (end) {
    case LegEnd::timed_out: return ErrorKind::engine_timeout;
    case LegEnd::bad_response: return ErrorKind::engine_bad_response;
    case LegEnd::lost: return ErrorKind::engine_lost;
    case LegEnd::client_gone: return ErrorKind::client_gone;
    case LegEnd::killed: return ErrorKind::shutting_down;
    default: return ErrorKind::engine_unreachable;
  }
}

Error error_of(LegEnd end) {
  switch (end) {
    case LegEnd::timed_out: return Error(ErrorKind::engine_timeout, "The engine did not answer in time.");
    case LegEnd::bad_response: return Error(ErrorKind::engine_bad_response, "The engine's answer is not valid HTTP.");
    case LegEnd::lost: return Error(ErrorKind::engine_lost, "The engine went away before it answered.");
    case LegEnd::killed: return Error(ErrorKind::shutting_down, "The gate is shutting down.");
    default: return Error(ErrorKind::engine_unreachable, "No engine for this model could be reached.");
  }
}

config::RouteTimeouts limits_for(config::Proxy const& proxy, std::string const& path) {
  auto const found = proxy.routes.find(path);
  return found == proxy.routes.end() ? proxy.timeouts : found->second;
}

}  // namespace

Exchange::Exchange(Worker& worker, ClientConnection& client, ExchangeInput input)
    : worker_(worker), client_(client), input_(input), scratch_(worker.borrow_scratch()), total_deadline_(worker.wheel, client.wake()),
      gap_deadline_(worker.wheel, client.wake()), grace_deadline_(worker.wheel, client.wake()),
      leg_(worker, client.wake(), scratch_->answer_head), decoded_memory_(worker.shared.memory) {}

Exchange::~Exchange() { worker_.return_scratch(std::move(scratch_)); }

void ExchangeScratch::reset() noexcept {
  usage.reset();
  response_id.reset();
  tried.clear();
}

std::optional<Error> Exchange::prepare() {
  auto const& head = client_.head();
  client_minor_ = head.minor;
  keep_alive_ = head.keep_alive;
  is_head_ = head.method == "HEAD";
  bytes_in_ = client_.body_size();
  auto const& row = *input_.route.row;
  limits_ = limits_for(worker_.shared.config.proxy, row.path);
  total_deadline_.set_after(limits_.total);
  auto opened = open_request(worker_, row, head, client_.body());
  if (!opened) return opened.error();
  body_ = std::move(*opened);
  return std::nullopt;
}

/// To be repeated when it says out_of_memory.
std::optional<Error> Exchange::read() {
  if (!decoded_memory_.grow_to(body_.decoded.size()))
    return Error(ErrorKind::out_of_memory, "limits.memory is used up by requests in progress");
  return read_request(worker_, client_.head(), client_.body(), body_);
}

/// As reading pauses for bodies, reading them waits until others have given memory back.
Awaitable<std::optional<Error>> Exchange::read_when_room() {
  auto const give_up = Clock::now() + worker_.shared.config.http.body_timeout / 2;
  for (;;) {
    gap_deadline_.set_after(kMemoryRetry);
    co_await client_.wake().wait();
    if (client_.gone()) co_return Error(ErrorKind::client_gone);
    if (worker_.shared.stage.load(std::memory_order_relaxed) == LifeStage::killed) co_return error_of(LegEnd::killed);
    if (total_deadline_.expired()) co_return error_of(LegEnd::timed_out);
    auto error = read();
    if (!error || error->kind != ErrorKind::out_of_memory || Clock::now() >= give_up) co_return error;
  }
}

std::optional<Error> Exchange::resolve() {
  auto const& row = *input_.route.row;
  keys_ = worker_.shared.keys.read(client_.head(), input_.target.path_and_query, body_.view);
  if (keys_.session) keys_.session = session_.emplace(*keys_.session);   // what the parser decoded does not last
  sampled_ = worker_.random.chance(worker_.shared.config.explain.sample);
  fleet_ = worker_.fleet.get();
  auto model = resolve_model(worker_, *fleet_, row, body_);
  if (!model) return model.error();
  model_ = *model;
  prompt_.emplace(body_.view, model_ ? std::string_view(model_->id) : std::string_view(), scratch_->prompt);
  worker_.metrics.request_series(row.id, model_ ? model_->metrics_id : 0, 0)->incoming();
  if (worker_.shared.poison.is_poison(subject(), client_.arrived())) {
    worker_.metrics.poisoned_refused();
    return Error(ErrorKind::engine_lost, "This request was in progress at two engines that went away; it is not sent to a third.");
  }
  return std::nullopt;
}

PoisonList::Subject Exchange::subject() const noexcept { return {input_.route.row->path, client_.body()}; }

bool Exchange::repeatable() const noexcept {
  return !body_.view.background_or_store && body_.view.api != openai::ApiKind::audio_form;
}

/// No other engine gets the request when this one loses it.
bool Exchange::last_try() const noexcept {
  bool const asks_others = input_.route.row->by_response_id;   // when the answer is 404
  return !asks_others && (!repeatable() || losses_ >= worker_.shared.config.retry.after_send);
}

void Exchange::free_body() {
  client_.release_request();
  body_.decoded = {};
  decoded_memory_.release();
}

void Exchange::request_sent() {
  fingerprint_ = PoisonList::digest_of(subject());   // the engine may yet go away
  free_body();
}

/// The engine that made the response, when that is known: then nobody else is asked, even when it can take no more.
bool Exchange::choose_owner() {
  auto owner = worker_.shared.responses.find(input_.route.segment);
  if (!owner || std::ranges::find(scratch_->tried, owner.get()) != scratch_->tried.end()) return false;
  auto lease = fleet::Lease::take(owner, {1, false}, Clock::now());
  decision_ = {};
  decision_.policy = lease ? "response_id" : "capacity";
  decision_.why = {"made_there"};
  if (!lease) return true;
  decision_.endpoint = std::move(owner);
  lease_ = std::move(*lease);
  return true;
}

void Exchange::select(RouteContext const& context) {
  if (select_maker(context)) return;
  auto selection = worker_.selector.select(context, {*fleet_, model_, scratch_->tried}, sampled_);
  auto const& trace = worker_.selector.trace();
  for (auto const& drop : trace.drops) worker_.metrics.filtered(drop.filter, drop.count);
  for (auto const& opinion : trace.opinions)
    if (opinion.abstained) worker_.metrics.abstained(opinion.policy, opinion.why.code);
  decision_ = std::move(selection.decision);
  lease_ = std::move(selection.lease);
}

/// The engine that made the response which this one continues: only it has that, if it passes the filters.
bool Exchange::select_maker(RouteContext const& context) {
  auto const maker = maker_of(worker_, body_.view);
  if (!maker || std::ranges::find(scratch_->tried, maker.get()) != scratch_->tried.end()) return false;
  auto const others = all_but(*maker, *fleet_);
  auto selection = worker_.selector.select(context, {*fleet_, model_, others}, sampled_);
  if (!selection.decision.endpoint) return false;
  decision_ = std::move(selection.decision);
  decision_.policy = "response_id";
  decision_.why = {"made_there"};
  lease_ = std::move(selection.lease);
  return true;
}

bool Exchange::choose() {
  routed_at_ = WallClock::now();
  RouteContext const context{body_.view, *prompt_, keys_, model_ ? std::string_view(model_->id) : std::string_view(),
                             Clock::now(), worker_.random.next()};
  bool const owned = input_.route.row->by_response_id && choose_owner();
  if (!owned) select(context);
  decision_time_ = Clock::now() - context.now;
  worker_.metrics.decided(decision_.policy, decision_.why.code, std::chrono::duration<double>(decision_time_).count());
  if (sampled_ && !owned) log_decision(worker_, context, decision_, input_.request_id);
  if (!decision_.endpoint) return false;
  series_ = worker_.metrics.request_series(input_.route.row->id, model_ ? model_->metrics_id : 0,
                                           decision_.endpoint->metrics_id());
  counted_ = metrics::EngineLeg(*series_);
  return true;
}

Error Exchange::nobody() const {
  if (saw_not_found_)
    return Error(ErrorKind::not_found, "None of the engines that could be asked knows this response.");
  if (any_timeout_) return error_of(LegEnd::timed_out);
  if (!scratch_->tried.empty()) return error_of(LegEnd::not_sent);
  std::string const model = model_ ? "The model `" + model_->id + "`" : "The request";
  return Error(ErrorKind::no_engine, model + " cannot be served now: " + std::string(decision_.policy) +
                                         " left no engine. Please try again later.");
}

EngineLeg::Request Exchange::leg_request() {
  EngineLeg::Request request;
  request.head = scratch_->engine_head;
  request.body = client_.body();
  request.is_head = is_head_;
  request.fresh_connection = insist_fresh_ || !repeatable() || losses_ > 0;
  request.first_byte_limit = limits_.first_byte;
  request.on_sent = last_try() ? this : nullptr;
  return request;
}

bool Exchange::asks_all_and_not_here() const noexcept {
  return input_.route.row->by_response_id && decision_.policy != "response_id" && leg_.head().status == 404 &&
         scratch_->tried.size() + 1 < fleet_->members.size();
}

Exchange::Next Exchange::after_loss() {
  ++losses_;
  series_->engine_error(ErrorKind::engine_lost);
  auto const now = Clock::now();
  if (!fingerprint_) fingerprint_ = PoisonList::digest_of(subject());
  auto& poison = worker_.shared.poison;
  if (fingerprint_) poison.lost(*fingerprint_, decision_.endpoint->metrics_id(), now);
  scratch_->tried.push_back(decision_.endpoint.get());
  bool const again = repeatable() && losses_ <= worker_.shared.config.retry.after_send &&
                     !(fingerprint_ && poison.is_poison(*fingerprint_, now));
  return again ? Next::again : Next::give_up;
}

/// What follows when a leg did not bring an answer.
Exchange::Next Exchange::after(LegEnd end) {
  if (end == LegEnd::client_gone || end == LegEnd::killed) return Next::give_up;
  log::debug("request {}: {} failed: {}", input_.request_id, decision_.endpoint->url(), leg_.trouble());
  if (end == LegEnd::stale) {
    insist_fresh_ = true;   // once more at the same engine, on a connection of its own
    stale_loss_ = leg_.sent_all();
    return Next::again;
  }
  if (leg_.trouble() == "connect_refused")
    worker_.shared.registry.set_health(decision_.endpoint, fleet::Health::suspect, "connect_refused");
  // It took the request on an old connection and refuses new ones: the request may be what ended it.
  if (end == LegEnd::not_sent && std::exchange(stale_loss_, false)) end = LegEnd::lost;
  if (end == LegEnd::lost) return after_loss();
  series_->engine_error(kind_of(end));
  if (end != LegEnd::not_sent) return Next::give_up;
  any_timeout_ |= leg_.connect_timed_out();
  scratch_->tried.push_back(decision_.endpoint.get());
  return Next::again;
}

/// An engine and the head for it; false when nobody can take the request.
bool Exchange::address_next() {
  if (!choose()) return false;
  EngineHeadInput const in{client_.head(), input_.target.path_and_query, client_.body_size(), input_.request_id,
                           client_.peer_host(), client_.peer_trusted()};
  write_engine_head(in, decision_.endpoint->spec(), scratch_->engine_head);
  return true;
}

void Exchange::leave_engine() {
  counted_.end();
  lease_ = {};
}

void Exchange::note_retry(LegEnd end) {
  ++retries_;
  worker_.metrics.retried(kind_of(end));
  if (insist_fresh_) return;
  tell_policies(end == LegEnd::lost, {});   // the next choice must not count on this one
  leave_engine();
}

/// Asked of all, and this engine does not have it.
void Exchange::pass_over() {
  leg_.release(false);
  saw_not_found_ = true;
  scratch_->tried.push_back(decision_.endpoint.get());
  leave_engine();
}

Awaitable<std::optional<Error>> Exchange::obtain_answer() {
  LegEnd end = LegEnd::not_sent;
  for (;;) {
    bool const same_engine = insist_fresh_ && decision_.endpoint && lease_;
    if (!same_engine && !address_next()) co_return end == LegEnd::lost ? error_of(end) : nobody();
    auto const request = leg_request();
    insist_fresh_ = false;
    end = co_await leg_.run(decision_.endpoint, request, client_, total_deadline_);
    if (end == LegEnd::answered && !asks_all_and_not_here()) co_return std::nullopt;
    if (end == LegEnd::answered) {
      pass_over();
    } else if (after(end) == Next::give_up) {
      co_return error_of(end);
    } else {
      note_retry(end);
    }
  }
}

Awaitable<bool> Exchange::answer_error(Error const& error) {
  error_ = error;
  status_ = http_status(error_->kind);
  worker_.metrics.error(error_->kind);
  if (error_->kind == ErrorKind::client_gone) {
    if (series_) series_->client_aborted();
    co_return false;
  }
  bool const close = !keep_alive_ || worker_.shared.stage.load(std::memory_order_relaxed) != LifeStage::serving;
  OwnReply reply;
  reply.shape = input_.route.row->shape;
  reply.request_id = input_.request_id;
  reply.cors_origin = input_.cors_origin;
  reply.close = close;
  reply.no_body = is_head_;
  reply.keep_alive_said = client_minor_ == 0;
  auto const text = error_reply(*error_, reply);
  bytes_out_ = text.size() - (text.find(kHeadEnd) + kHeadEnd.size());
  std::string_view const bytes = text;
  co_return co_await client_.write(bytes) && !close;
}

Awaitable<bool> Exchange::run() {
  bool reusable = false;
  auto error = prepare();
  if (!error) {
    error = read();
    if (error && error->kind == ErrorKind::out_of_memory) error = co_await read_when_room();
  }
  if (!error) error = resolve();
  if (!error) co_await tokenize();
  if (!error) error = co_await obtain_answer();
  if (error) {
    if (client_.gone()) error = Error(ErrorKind::client_gone);
    reusable = co_await answer_error(*error);
  } else {
    reusable = co_await relay();
  }
  leave_engine();
  record();
  client_.release_request();
  co_return reusable;
}

}  // namespace kvgate::proxy
