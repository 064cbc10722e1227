#include "sim/generation.hpp"

#include <algorithm>
#include <iterator>

namespace kvgate::sim {

namespace net = boost::asio;

namespace {

constexpr std::string_view kAnswer[] = {
    "This",   " answer", " comes", " from",     " a",    " simulated", " engine", ":",       " every", " word",
    " of",    " it",     " is",    " made",     " up",   ",",          " one",    " token",  " after", " the",
    " other", ",",       " at",    " the",      " pace", " of",        " a",      " real",   " model", ".",
    "\n",     "Nothing", " was",   " computed", ",",     " but",       " your",   " prompt", " was",   " counted",
    ",",      " cached", " and",   " timed",    ".",     "\n"};

double seconds(Sequence::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

std::size_t blocks_of(EngineState const& engine, Job const& job) {
  auto const size = engine.options.block_size;
  return (job.prompt.size() + job.tokens + size - 1) / size;
}

}  // namespace

std::string_view answer_token(std::uint32_t index) noexcept {
  return kAnswer[index % std::size(kAnswer)];
}

bool admits(EngineState& engine) {
  auto const limit = engine.options.max_num_queued_reqs;
  if (limit == 0 || engine.scheduler.waiting() < limit) return true;
  ++engine.metrics.rejected;
  return false;
}

Generation::Generation(EngineState& engine, Job const& job, net::any_io_executor const& executor)
    : engine_(engine),
      job_(job),
      sequence_(engine.scheduler, executor, blocks_of(engine, job)),
      arrived_(Clock::now()) {
  usage_.prompt = static_cast<std::uint32_t>(job.prompt.size());
}

net::awaitable<void> Generation::prefill() {
  co_await sequence_.turn();
  auto& metrics = engine_.metrics;
  auto const begin = Clock::now();
  metrics.queue_time.observe(seconds(begin - arrived_));
  auto const block = engine_.options.block_size;
  // The last token is always computed, so a prompt of whole blocks never hits its last one.
  auto const usable = job_.prompt.empty() ? 0 : (job_.prompt.size() - 1) / block;
  auto const hit = std::min(engine_.cache.lookup(job_.hashes), usable);
  usage_.cached = static_cast<std::uint32_t>(hit * block);
  metrics.prompt_tokens += usage_.prompt;
  metrics.cached_tokens += usage_.cached;
  auto const blocks = (job_.prompt.size() + block - 1) / block;
  co_await sequence_.pass(engine_.options.prefill_base + engine_.options.prefill_per_block * (blocks - hit));
  usage_.created = static_cast<std::uint32_t>(engine_.cache.insert(job_.hashes)) * block;
  sequence_.prefilled();
  last_token_ = Clock::now();
  metrics.prefill_time.observe(seconds(last_token_ - begin));
  metrics.time_to_first_token.observe(seconds(last_token_ - arrived_));
}

net::awaitable<Token> Generation::next() {
  if (usage_.completion > 0) {
    co_await sequence_.pass(engine_.options.inter_token);
    auto const now = Clock::now();
    engine_.metrics.inter_token_latency.observe(seconds(now - last_token_));
    last_token_ = now;
  }
  Token token{answer_token(usage_.completion), usage_.completion, false};
  text_ += token.text;
  ++engine_.metrics.generation_tokens;
  ++usage_.completion;
  token.last = done();
  co_return token;
}

void Generation::finish() {
  auto& metrics = engine_.metrics;
  ++(job_.limited ? metrics.finished_length : metrics.finished_stop);
  metrics.e2e_latency.observe(seconds(Clock::now() - arrived_));
  usage_.completion *= job_.choices;
}

}  // namespace kvgate::sim
