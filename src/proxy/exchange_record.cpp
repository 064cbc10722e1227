// What a finished exchange leaves behind: metrics, the policies' truth, and the access log line.
#include <cmath>

#include "base/access_log.hpp"
#include "proxy/exchange.hpp"
#include "proxy/worker.hpp"

namespace kvgate::proxy {
namespace {

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

/// From the engine's usage; else guessed: the prompt from its bytes, the completion from the stream's events or bytes.
metrics::Tokens Exchange::count_tokens(openai::Usage const& usage) const {
  metrics::Tokens tokens;
  tokens.estimated = !usage.prompt && !usage.completion;
  tokens.prompt = usage.prompt.value_or(decision_.prompt_tokens);
  tokens.cached = usage.cached.value_or(0);
  auto const guessed = stream_ ? scratch_->usage.events() : payload_ / 4;
  tokens.completion = tokens.estimated && !openai::generates(body_.view.api) ? 0 : usage.completion.value_or(guessed);
  return tokens;
}

/// Cached tokens as they were believed, in the engine's own tokens, beside what it says.
void Exchange::compare_prediction(openai::Usage const& usage) {
  if (decision_.blocks.empty() || !usage.prompt || !usage.cached) return;
  double const share = static_cast<double>(decision_.cached_tokens) / static_cast<double>(decision_.prompt_tokens);
  auto const predicted = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(*usage.prompt)));
  worker_.metrics.predicted(decision_.policy, decision_.endpoint->metrics_id(),
                            {*usage.prompt, predicted, *usage.cached});
}

/// A policy hears of every decision, and once how it ended.
void Exchange::tell_policies(bool lost, openai::Usage const& usage) {
  if (!decision_.endpoint) return;
  Outcome const outcome{status_, ttft_, prefill_, usage.prompt, usage.cached, usage.completion, lost,
                        error_ && error_->kind == ErrorKind::client_gone};
  if (decision_.plan) routing::Selector::finished(decision_, outcome);
}

void Exchange::record() {
  auto const total = Clock::now() - client_.arrived();
  int const status = error_ && error_->kind == ErrorKind::client_gone ? http_status(ErrorKind::client_gone) : status_;
  auto& series = series_ ? *series_
                         : *worker_.metrics.request_series(input_.route.row->id, model_ ? model_->metrics_id : 0, 0);
  series.finished(status, seconds(total));
  series.bytes_in(bytes_in_);
  series.bytes_out(bytes_out_);
  auto const usage = scan_ ? scratch_->usage.usage() : openai::Usage{};
  if (ttft_ && status_ == 200) {
    series.tokens(count_tokens(usage));
    compare_prediction(usage);
  }
  tell_policies(error_ && error_->kind == ErrorKind::engine_lost, usage);
  if (worker_.shared.config.log.access) log_access(usage, status, total);
}

void Exchange::log_access(openai::Usage const& usage, int status, Clock::duration total) {
  log::AccessRecord line;
  line.request_id = input_.request_id;
  if (!keys_.session_secret) line.session_id = session_;
  line.route = input_.route.row->path;
  if (model_) line.model = model_->id;
  if (decision_.endpoint) line.engine = decision_.endpoint->url();
  line.policy = decision_.policy;
  line.reason = decision_.why.code;
  line.status = status;
  if (error_) line.error = error_->kind;
  line.bytes_in = bytes_in_;
  line.bytes_out = bytes_out_;
  line.prompt_tokens = usage.prompt;
  line.cached_tokens = usage.cached;
  line.completion_tokens = usage.completion;
  line.routed_at = routed_at_;
  line.decision = decision_time_;
  line.ttft = ttft_;
  line.total = total;
  line.retries = retries_;
  log::access(std::move(line));
}

}  // namespace kvgate::proxy
