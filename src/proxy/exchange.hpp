// One proxied request from routing to the last byte: chooses engines, moves on when one fails before its first body
// byte, relays the answer, and tells metrics and logs how it went.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "fleet/lease.hpp"
#include "http/async.hpp"
#include "http/timer_wheel.hpp"
#include "kvgate/decision.hpp"
#include "kvgate/route_context.hpp"
#include "metrics/request_series.hpp"
#include "openai/response_id.hpp"
#include "openai/usage.hpp"
#include "prefix/prompt_text.hpp"
#include "proxy/client_connection.hpp"
#include "proxy/engine_leg.hpp"
#include "proxy/poison_list.hpp"
#include "proxy/request_facts.hpp"

namespace kvgate {
struct RouteContext;
}

namespace kvgate::tokens {
struct Model;
}

namespace kvgate::proxy {

class Worker;

/// What the session knows of the request when it hands it over.
struct ExchangeInput {
  openai::RouteMatch route;
  openai::Target target;
  std::string_view request_id;
  std::string_view cors_origin;
};

/// What an exchange needs and the next one can use again: kept by the worker, so that a request allocates nothing.
struct ExchangeScratch {
  openai::UsageScanner usage;
  openai::ResponseIdFinder response_id;
  prefix::PromptBlocks prompt;
  std::vector<std::uint32_t> tokens;
  http::ResponseHead answer_head;
  std::string engine_head, client_head;
  std::vector<fleet::Endpoint const*> tried;

  void reset() noexcept;
};

class Exchange final : private SentListener {
 public:
  Exchange(Worker& worker, ClientConnection& client, ExchangeInput input);
  ~Exchange();

  /// The request is complete in `client`. True when the client's connection may carry another request.
  http::Awaitable<bool> run();

 private:
  enum class Next { relay, again, give_up };

  // exchange.cpp: choosing and retrying
  std::optional<Error> prepare();
  std::optional<Error> read();
  http::Awaitable<std::optional<Error>> read_when_room();
  std::optional<Error> resolve();
  PoisonList::Subject subject() const noexcept;
  /// As routing reads it: decoded.
  std::string_view body_text() const noexcept { return body_.packed ? std::string_view(body_.decoded) : client_.body(); }
  bool choose();
  bool choose_owner();
  void select(RouteContext const& context);
  bool select_maker(RouteContext const& context);
  Error nobody() const;
  http::Awaitable<std::optional<Error>> obtain_answer();
  bool address_next();
  void leave_engine();
  void note_retry(LegEnd end);
  void pass_over();
  Next after(LegEnd end);
  Next after_loss();
  EngineLeg::Request leg_request();
  bool repeatable() const noexcept;
  bool last_try() const noexcept;
  void request_sent() override;
  void free_body();
  bool asks_all_and_not_here() const noexcept;
  http::Awaitable<bool> answer_error(Error const& error);

  // exchange_tokens.cpp: the prompt's token ids
  http::Awaitable<void> tokenize();
  http::Awaitable<std::string_view> tokens_from(std::shared_ptr<tokens::Model const> model);
  http::Awaitable<std::string_view> tokens_from_pool(std::shared_ptr<tokens::Model const> model);
  http::Awaitable<std::string_view> tokens_from_engine();
  std::shared_ptr<fleet::Endpoint> engine_to_ask();

  // relay.cpp: the answer's way to the client
  http::Awaitable<bool> relay();
  http::Awaitable<bool> relay_body();
  void begin_answer();
  void note_events();
  std::size_t take(http::Buffer& buffer, std::size_t from);
  bool pass_on(std::string_view head, std::string_view bytes);
  http::Awaitable<bool> pass_on_rest();
  bool something_unsent() const noexcept { return !unsent_[0].empty() || !unsent_[1].empty(); }
  http::Awaitable<bool> await_more();
  http::Awaitable<void> let_others_run();
  Error not_passed() const;
  http::Awaitable<void> break_off();
  bool may_inject() const noexcept;
  void learn_response_id(std::string_view payload);

  // exchange_record.cpp: what it leaves behind
  void record();
  void tell_policies(bool lost, openai::Usage const& usage);
  void log_access(openai::Usage const& usage, int status, Clock::duration total);
  metrics::Tokens count_tokens(openai::Usage const& usage) const;
  void compare_prediction(openai::Usage const& usage);

  Worker& worker_;
  ClientConnection& client_;
  ExchangeInput input_;
  std::unique_ptr<ExchangeScratch> scratch_;
  http::Deadline total_deadline_, gap_deadline_, grace_deadline_;
  EngineLeg leg_;

  // the request; what the client's buffer holds is copied where it is needed after the body is given back
  std::optional<PoisonList::Digest> fingerprint_;   // of a body that has been given back before the answer
  RequestBody body_;
  MemoryShare decoded_memory_;
  config::RouteTimeouts limits_;
  std::shared_ptr<fleet::EndpointSet const> fleet_;
  fleet::ModelEntry const* model_ = nullptr;
  std::optional<PromptFacts> prompt_;
  RequestKeys keys_;                           // until the request is released
  std::optional<std::string> session_;
  int client_minor_ = 1;
  bool is_head_ = false, keep_alive_ = true;
  bool sampled_ = false;                       // its decisions are logged

  // attempts
  Decision decision_;
  fleet::Lease lease_;
  metrics::EngineLeg counted_;
  metrics::RequestSeries* series_ = nullptr;
  bool saw_not_found_ = false, insist_fresh_ = false, stale_loss_ = false, any_timeout_ = false;
  std::uint32_t losses_ = 0, retries_ = 0;

  // the answer
  bool scan_ = false, stream_ = false, dechunk_ = false, close_ = false, engine_keeps_ = false, engine_dirty_ = false;
  std::uint64_t events_seen_ = 0, payload_ = 0;
  Clock::time_point last_bytes_{};
  std::array<std::string_view, 2> unsent_{};   // head and body bytes that the client has not taken yet

  // the outcome
  int status_ = 0;
  std::optional<Error> error_;
  std::optional<Clock::duration> ttft_;
  Clock::duration prefill_{0};
  std::uint64_t bytes_in_ = 0, bytes_out_ = 0;
  WallClock::time_point routed_at_{};
  Clock::duration decision_time_{};
};

}  // namespace kvgate::proxy
