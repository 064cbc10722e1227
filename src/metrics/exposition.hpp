// Collects the samples of one scrape and hands them to prometheus-cpp.
#pragma once

#include <prometheus/metric_family.h>

#include <array>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/catalogue.hpp"
#include "metrics/cells.hpp"

namespace kvgate::metrics {

/// Samples with the same metric and labels are added up, so a label left out means a sum over it. Not thread-safe.
class Exposition {
 public:
  using Labels = std::initializer_list<std::string_view>;

  /// Values in the order of the catalogue's label names.
  void add(Metric metric, Labels labels, double value);
  /// A histogram without observations is left out. `reading` has the metric's own bounds.
  void add(Metric metric, Labels labels, HistogramReading const& reading);

  /// In catalogue order; a metric without samples is left out.
  std::vector<prometheus::MetricFamily> families() const;

 private:
  struct Sample {
    double value = 0;
    HistogramReading histogram;
  };
  using Samples = std::map<std::vector<std::string>, Sample>;

  static prometheus::ClientMetric convert(MetricInfo const& row, std::vector<std::string> const& labels,
                                          Sample const& sample);
  Sample& sample(Metric metric, Labels labels);

  std::array<Samples, kMetricCount> samples_;
};

/// The text format of Prometheus (version 0.0.4).
std::string to_text(Exposition const& exposition);

/// Counts over the coarser bounds `to`, each of which is also in `from`.
HistogramReading rebucket(HistogramReading const& reading, std::span<double const> from, std::span<double const> to);

}  // namespace kvgate::metrics
