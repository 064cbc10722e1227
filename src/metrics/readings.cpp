#include "metrics/readings.hpp"

namespace kvgate::metrics {
namespace {

void add_all(std::array<std::uint64_t, kErrorKinds>& sums, std::array<Counter, kErrorKinds> const& cells) {
  for (std::size_t i = 0; i < kErrorKinds; ++i) sums[i] += cells[i].read();
}

}  // namespace

void SeriesReading::add(RequestSeries const& series) {
  // Later stages first: a leg seen in a later stage is then surely seen in the earlier ones, so no difference is
  // negative.
  std::uint64_t const ended_decoding = series.ended_decoding_.read();
  std::uint64_t const ended_in_prefill = series.ended_in_prefill_.read();
  std::uint64_t const first_byte = series.first_byte_.read();
  std::uint64_t const began = series.started_.read();
  started += began;
  prefill += began - first_byte - ended_in_prefill;
  decoding += first_byte - ended_decoding;

  incoming += series.incoming_.read();
  bytes_in += series.bytes_in_.read();
  bytes_out += series.bytes_out_.read();
  client_aborts += series.client_aborts_.read();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i].prompt += series.tokens_[i].prompt.read();
    tokens[i].cached += series.tokens_[i].cached.read();
    tokens[i].completion += series.tokens_[i].completion.read();
    durations[i] += series.durations_[i].read();
  }
  series.statuses_.each([this](int status, std::uint64_t n) { statuses[status] += n; });
  ttft += series.ttft_.read();
  itl += series.itl_.read();
  add_all(engine_errors, series.engine_errors_);
}

void WorkerReading::add(WorkerMetrics const& worker) {
  connections += worker.connections_.read();
  accepted += worker.accepted_.read();
  body_buffered += worker.body_buffered_.read();
  poisoned += worker.poisoned_.read();
  engine_opened += worker.engine_opened_.read();
  engine_reused += worker.engine_reused_.read();
  engine_idle_closed += worker.engine_idle_closed_.read();
  decision_seconds += worker.decision_seconds_.read();
  tokenize_seconds += worker.tokenize_seconds_.read();
  worker.decisions_.read([this](auto policy, auto reason, auto n) { decisions[{policy, reason}] += n; });
  worker.abstained_.read([this](auto policy, auto reason, auto n) { abstained[{policy, reason}] += n; });
  worker.filtered_.read([this](auto filter, auto, auto n) { filtered[filter] += n; });
  worker.tokenized_.read([this](auto result, auto, auto n) { tokenized[result] += n; });
  auto const add_errors = [this](auto policy, auto const& more) { prediction_errors[policy] += more; };
  auto const add_prediction = [this](auto policy, auto engine, Prediction const& more) {
    auto& sums = predictions[{policy, engine}];
    sums = {sums.prompt + more.prompt, sums.predicted + more.predicted, sums.reported + more.reported};
  };
  worker.predictions_.read(add_prediction, add_errors);
  add_all(errors, worker.errors_);
  add_all(retries, worker.retries_);
}

SeriesReadings read_series(std::span<std::unique_ptr<WorkerMetrics> const> workers) {
  SeriesReadings readings;
  for (auto const& worker : workers) {
    for (auto const* series : worker->all_series()) readings[series->key()].add(*series);
  }
  return readings;
}

}  // namespace kvgate::metrics
