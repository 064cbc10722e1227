#include "metrics/exposition.hpp"

#include <prometheus/collectable.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <memory>

namespace kvgate::metrics {
namespace {

prometheus::MetricType prometheus_type(Type type) {
  switch (type) {
    case Type::counter:
      return prometheus::MetricType::Counter;
    case Type::gauge:
      return prometheus::MetricType::Gauge;
    case Type::histogram:
      break;
  }
  return prometheus::MetricType::Histogram;
}

std::vector<prometheus::ClientMetric::Label> pair_up(std::string_view names, std::vector<std::string> const& values) {
  std::vector<prometheus::ClientMetric::Label> labels;
  for (auto const& value : values) {
    auto const comma = names.find(',');
    labels.push_back({std::string(names.substr(0, comma)), value});
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  }
  return labels;
}

prometheus::ClientMetric::Histogram convert_histogram(HistogramReading const& reading, std::span<double const> bounds) {
  prometheus::ClientMetric::Histogram out;
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < reading.counts.size(); ++i) {
    cumulative += reading.counts[i];
    out.bucket.push_back({cumulative, i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity()});
  }
  out.sample_count = cumulative;
  out.sample_sum = reading.sum;
  return out;
}

/// The seam that prometheus-cpp collects through.
class Scrape final : public prometheus::Collectable {
 public:
  explicit Scrape(Exposition const& exposition) : exposition_(exposition) {}
  std::vector<prometheus::MetricFamily> Collect() const override { return exposition_.families(); }

 private:
  Exposition const& exposition_;
};

}  // namespace

Exposition::Sample& Exposition::sample(Metric metric, Labels labels) {
  return samples_[static_cast<std::size_t>(metric)][std::vector<std::string>(labels.begin(), labels.end())];
}

void Exposition::add(Metric metric, Labels labels, double value) {
  sample(metric, labels).value += value;
}

void Exposition::add(Metric metric, Labels labels, HistogramReading const& reading) {
  if (reading.total() != 0) sample(metric, labels).histogram += reading;
}

prometheus::ClientMetric Exposition::convert(MetricInfo const& row, std::vector<std::string> const& labels,
                                             Sample const& sample) {
  prometheus::ClientMetric out;
  out.label = pair_up(row.labels, labels);
  switch (row.type) {
    case Type::counter:
      out.counter.value = sample.value;
      break;
    case Type::gauge:
      out.gauge.value = sample.value;
      break;
    case Type::histogram:
      out.histogram = convert_histogram(sample.histogram, row.bounds);
      break;
  }
  return out;
}

std::vector<prometheus::MetricFamily> Exposition::families() const {
  std::vector<prometheus::MetricFamily> out;
  for (auto const& row : catalogue()) {
    auto const& samples = samples_[static_cast<std::size_t>(row.metric)];
    if (samples.empty()) continue;
    auto& family = out.emplace_back();
    family.name = row.name;
    family.help = row.help;
    family.type = prometheus_type(row.type);
    for (auto const& [labels, sample] : samples) family.metric.push_back(convert(row, labels, sample));
  }
  return out;
}

std::string to_text(Exposition const& exposition) {
  return prometheus::TextSerializer{}.Serialize(Scrape(exposition).Collect());
}

HistogramReading rebucket(HistogramReading const& reading, std::span<double const> from, std::span<double const> to) {
  HistogramReading out{std::vector<std::uint64_t>(to.size() + 1), reading.sum};
  for (std::size_t i = 0; i < reading.counts.size(); ++i) {
    auto const bucket = i < from.size() ? std::lower_bound(to.begin(), to.end(), from[i]) - to.begin()
                                        : static_cast<std::ptrdiff_t>(to.size());
    out.counts[static_cast<std::size_t>(bucket)] += reading.counts[i];
  }
  return out;
}

}  // namespace kvgate::metrics
