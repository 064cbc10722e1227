// A strict reader of Prometheus' text format, for tests: it fails on what Prometheus or promtool would refuse.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kvgate::test {

using Labels = std::map<std::string, std::string>;

struct Family {
  std::string type;
  std::string help;
  std::map<std::string, std::map<Labels, double>> samples;  // by full name: also NAME_bucket, NAME_sum, NAME_count
};

/// By family name. Throws std::runtime_error with the line that is wrong: syntax, a sample outside its family's block,
/// a sample that appears twice, a negative counter, buckets that are not cumulative or do not end in +Inf == count.
std::map<std::string, Family> parse_exposition(std::string_view text);

/// The value of a sample; throws std::out_of_range when there is none.
double value(std::map<std::string, Family> const& families, std::string const& name, Labels const& labels = {});
bool has(std::map<std::string, Family> const& families, std::string const& name, Labels const& labels);
std::size_t sample_count(std::map<std::string, Family> const& families);

}  // namespace kvgate::test
