#include "watch/stats_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace kvgate::watch {
namespace {

enum Series : std::uint8_t {
  running,
  waiting,
  kv_usage,
  old_kv_usage,
  prefix_queries,
  old_prefix_queries,
  prefix_hits,
  old_prefix_hits,
  sleep_state,
  cache_config,
  lora,
  series_count
};

/// Without `vllm:` and `_total`. For a while vLLM sent old and new names together: they must not be added up.
constexpr std::array<std::string_view, series_count> kNames = {
    "num_requests_running", "num_requests_waiting",     "kv_cache_usage_perc", "gpu_cache_usage_perc",
    "prefix_cache_queries", "gpu_prefix_cache_queries", "prefix_cache_hits",   "gpu_prefix_cache_hits",
    "engine_sleep_state",   "cache_config_info",        "lora_requests_info"};

constexpr std::string_view kPrefix = "vllm:";
constexpr std::string_view kTotal = "_total";
constexpr std::string_view kStart = "process_start_time_seconds";
constexpr std::string_view kBlanks = " \t";

std::optional<double> number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const whole =
      error == std::errc() && (end == text.data() + text.size() || *end == ' ' || *end == '\t' || *end == '\r');
  return whole && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

struct Label {
  std::string_view name, value;  ///< the value as it stands, with its escapes
};

/// Takes the next label off `rest`, which begins behind the brace or a comma. nullopt: none is left.
std::optional<Label> next_label(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(", \t"), rest.size()));
  auto const equals = rest.find("=\"");
  if (rest.empty() || rest.front() == '}' || equals == std::string_view::npos) return std::nullopt;
  auto const name = rest.substr(0, equals);
  rest.remove_prefix(equals + 2);
  for (std::size_t end = 0; end < rest.size(); ++end) {
    if (rest[end] == '\\')
      ++end;
    else if (rest[end] == '"') {
      Label const label{name, rest.substr(0, end)};
      rest.remove_prefix(end + 1);
      return label;
    }
  }
  return std::nullopt;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

/// "a,b" as its parts, without those that are in `but`.
std::vector<std::string> name_list(std::string_view text, std::vector<std::string> const& but = {}) {
  std::vector<std::string> names;
  while (!text.empty() && names.size() < kMaxAdapters) {
    auto const comma = std::min(text.find(','), text.size());
    auto name = unescaped(text.substr(0, comma));
    name.erase(0, name.find_first_not_of(' '));
    bool const had = std::ranges::find(but, name) != but.end() || std::ranges::find(names, name) != names.end();
    if (!name.empty() && !had) names.push_back(std::move(name));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

bool ends_name(char c) {
  return c == '{' || c == ' ' || c == '\t';
}

struct Sum {
  double total = 0;
  unsigned samples = 0;

  void add(double value) {
    total += value;
    ++samples;
  }
};

class Reader {
 public:
  void line(std::string_view line);
  std::optional<fleet::EngineStats> result() const;

 private:
  void vllm_line(std::string_view line);
  void sample(Series series, std::string_view labels, double value);
  void sleep_sample(std::string_view labels, double value);
  void cache_sample(std::string_view labels);
  void lora_sample(std::string_view labels, double value);

  Sum const& either(Series now, Series before) const { return sums_[sums_[now].samples ? now : before]; }

  std::array<Sum, series_count> sums_;
  fleet::EngineStats stats_;
  double newest_lora_ = -1;
};

void Reader::line(std::string_view line) {
  if (line.starts_with(kPrefix)) {
    vllm_line(line.substr(kPrefix.size()));
  } else if (line.starts_with(kStart) && kBlanks.find(line.substr(kStart.size(), 1)) != std::string_view::npos) {
    auto const start = number(line.substr(kStart.size()));
    if (start) stats_.gauges.started = std::max(stats_.gauges.started.value_or(0), *start);
  }
}

void Reader::vllm_line(std::string_view line) {
  // Not find_first_of: that makes a call for every character, and most of the thousand lines come this far.
  auto const end = static_cast<std::size_t>(std::ranges::find_if(line, ends_name) - line.begin());
  if (end == line.size()) return;
  auto name = line.substr(0, end);
  if (name.ends_with(kTotal)) name.remove_suffix(kTotal.size());
  auto const at = static_cast<std::size_t>(std::ranges::find(kNames, name) - kNames.begin());
  if (at == kNames.size()) return;
  std::string_view labels, rest = line.substr(end);
  if (rest.front() == '{') {
    labels = rest.substr(1);
    rest = labels;
    while (next_label(rest)) {
    }
    auto const brace = rest.find('}');
    if (brace == std::string_view::npos) return;
    rest.remove_prefix(brace + 1);
  }
  if (auto const value = number(rest)) sample(static_cast<Series>(at), labels, *value);
}

void Reader::sample(Series series, std::string_view labels, double value) {
  switch (series) {
    case sleep_state:
      return sleep_sample(labels, value);
    case cache_config:
      return cache_sample(labels);
    case lora:
      return lora_sample(labels, value);
    default:
      sums_[series].add(value);
  }
}

void Reader::sleep_sample(std::string_view labels, double value) {
  while (auto const label = next_label(labels)) {
    // All levels of sleep have in common that `awake` is 0.
    if (label->name == "sleep_state" && label->value == "awake" && value == 0) stats_.gauges.sleeping = true;
  }
}

/// Each rank repeats the block count of all ranks together.
void Reader::cache_sample(std::string_view labels) {
  auto& gauges = stats_.gauges;
  while (auto const label = next_label(labels)) {
    auto const value = whole_number<std::uint32_t>(label->value);  // "None" while it is not decided
    if (!value || *value == 0) continue;
    if (label->name == "block_size") gauges.block_size_tokens = value;
    if (label->name == "num_gpu_blocks") gauges.kv_blocks = std::max(gauges.kv_blocks.value_or(0), *value);
  }
}

/// The value is the time of the state that the labels describe; states of the past stay in the text.
void Reader::lora_sample(std::string_view labels, double value) {
  if (value < newest_lora_) return;
  newest_lora_ = value;
  std::string_view running_names, waiting_names;
  stats_.adapters = {};
  while (auto const label = next_label(labels)) {
    if (label->name == "max_lora") stats_.adapters.max = whole_number<std::uint32_t>(label->value).value_or(0);
    if (label->name == "running_lora_adapters") running_names = label->value;
    if (label->name == "waiting_lora_adapters") waiting_names = label->value;
  }
  stats_.adapters.running = name_list(running_names);
  stats_.adapters.waiting = name_list(waiting_names, stats_.adapters.running);
}

std::optional<std::uint32_t> count_of(Sum const& sum) {
  if (sum.samples == 0) return std::nullopt;
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(sum.total, kMost));
}

std::optional<double> total_of(Sum const& sum) {
  return sum.samples ? std::optional(sum.total) : std::nullopt;
}

/// The mean, not the highest: the engine gives a request to the rank that has room.
std::optional<float> share_of(Sum const& sum) {
  if (sum.samples == 0) return std::nullopt;
  return static_cast<float>(std::min(sum.total / sum.samples, 1.0));
}

std::optional<fleet::EngineStats> Reader::result() const {
  auto stats = stats_;
  auto& gauges = stats.gauges;
  gauges.running = count_of(sums_[running]);
  gauges.waiting = count_of(sums_[waiting]);
  gauges.kv_usage = share_of(either(kv_usage, old_kv_usage));
  gauges.prefix_queries = total_of(either(prefix_queries, old_prefix_queries));
  gauges.prefix_hits = total_of(either(prefix_hits, old_prefix_hits));
  bool const known = gauges.running || gauges.waiting || gauges.kv_usage;
  return known ? std::optional(std::move(stats)) : std::nullopt;
}

}  // namespace

std::optional<fleet::EngineStats> parse_engine_stats(std::string_view text) {
  Reader reader;
  while (!text.empty()) {
    auto const* const newline = static_cast<char const*>(std::memchr(text.data(), '\n', text.size()));
    auto const size = newline ? static_cast<std::size_t>(newline - text.data()) : text.size();
    reader.line(text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return reader.result();
}

}  // namespace kvgate::watch
