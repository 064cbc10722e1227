#include "unit/metrics/exposition_parser.hpp"

#include <cctype>
#include <cstdlib>
#include <limits>
#include <set>

namespace kvgate::test {
namespace {

[[noreturn]] void fail(std::string_view line, std::string const& what) {
  throw std::runtime_error(what + " in: " + std::string(line));
}

class Line {
 public:
  explicit Line(std::string_view text) : text_(text), whole_(text) {}

  std::string name(bool colons) {
    std::string out;
    while (!text_.empty() &&
           (std::isalnum(static_cast<unsigned char>(text_[0])) || text_[0] == '_' || (colons && text_[0] == ':'))) {
      out += take();
    }
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) fail(whole_, "bad name");
    return out;
  }
  bool accept(char c) {
    if (text_.empty() || text_[0] != c) return false;
    take();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(whole_, std::string("expected ") + c);
  }
  std::string quoted() {
    std::string out;
    for (expect('"'); !accept('"');) {
      if (text_.empty()) fail(whole_, "open string");
      char const c = take();
      if (c != '\\') {
        out += c;
        continue;
      }
      char const escaped = text_.empty() ? '?' : take();
      if (escaped != 'n' && escaped != '"' && escaped != '\\') fail(whole_, "bad escape");
      out += escaped == 'n' ? '\n' : escaped;
    }
    return out;
  }
  double number() {
    std::string const rest(text_);
    char* end = nullptr;
    double const n = std::strtod(rest.c_str(), &end);
    if (rest.empty() || end != rest.c_str() + rest.size()) fail(whole_, "bad number");
    return n;
  }
  std::string rest() const { return std::string(text_); }

 private:
  char take() {
    char const c = text_[0];
    text_.remove_prefix(1);
    return c;
  }
  std::string_view text_;
  std::string_view whole_;
};

bool belongs(std::string const& sample, std::string const& family, std::string const& type) {
  if (type != "histogram") return sample == family;
  return sample == family + "_bucket" || sample == family + "_sum" || sample == family + "_count";
}

class Parser {
 public:
  std::map<std::string, Family> parse(std::string_view text) {
    if (!text.empty() && text.back() != '\n') fail(text.substr(text.rfind('\n') + 1), "no final newline");
    while (!text.empty()) {
      auto const end = text.find('\n');
      line(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    for (auto const& [name, family] : families_) check(name, family);
    return std::move(families_);
  }

 private:
  void line(std::string_view text) {
    if (text.starts_with("# HELP ")) return header(text.substr(7), &Family::help);
    if (text.starts_with("# TYPE ")) return header(text.substr(7), &Family::type);
    sample(text);
  }

  void header(std::string_view text, std::string Family::*member) {
    Line line(text);
    std::string const name = line.name(true);
    line.expect(' ');
    if (name != current_ && families_.contains(name)) fail(text, "family in two blocks");
    current_ = name;
    families_[name].*member = line.rest();
  }

  void sample(std::string_view text) {
    Line line(text);
    std::string const name = line.name(true);
    if (!families_.contains(current_) || !belongs(name, current_, families_[current_].type)) fail(text, "stray sample");
    Labels labels;
    if (line.accept('{')) {
      while (!line.accept('}')) {
        std::string const label = line.name(false);
        line.expect('=');
        if (!labels.emplace(label, line.quoted()).second) fail(text, "repeated label");
        line.accept(',');
      }
    }
    line.expect(' ');
    if (!families_[current_].samples[name].emplace(labels, line.number()).second) fail(text, "repeated sample");
  }

  static void check(std::string const& name, Family const& family) {
    if (family.help.empty()) fail(name, "no help");
    if (family.type == "histogram") return check_histogram(name, family);
    if (family.type != "counter" && family.type != "gauge") fail(name, "bad type");
    for (auto const& [labels, n] : family.samples.at(name)) {
      if (!(n >= 0)) fail(name, "negative or NaN");
    }
  }

  static void check_histogram(std::string const& name, Family const& family) {
    std::map<Labels, std::map<double, double>> buckets;
    for (auto const& [labels, n] : family.samples.at(name + "_bucket")) {
      Labels rest = labels;
      buckets[(rest.erase("le"), rest)][std::strtod(labels.at("le").c_str(), nullptr)] = n;
    }
    for (auto const& [labels, series] : buckets) {
      double last = 0;
      for (auto const& [bound, n] : series) {
        if (n < last) fail(name, "buckets not cumulative");
        last = n;
      }
      if (series.rbegin()->first != std::numeric_limits<double>::infinity()) fail(name, "no +Inf");
      if (last != family.samples.at(name + "_count").at(labels)) fail(name, "+Inf is not the count");
    }
  }

  std::map<std::string, Family> families_;
  std::string current_;
};

}  // namespace

std::map<std::string, Family> parse_exposition(std::string_view text) {
  return Parser{}.parse(text);
}

namespace {

std::map<Labels, double> const* find_samples(std::map<std::string, Family> const& families, std::string const& name) {
  for (auto const& [family_name, family] : families) {
    if (auto const found = family.samples.find(name); found != family.samples.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

double value(std::map<std::string, Family> const& families, std::string const& name, Labels const& labels) {
  auto const* samples = find_samples(families, name);
  if (samples == nullptr || !samples->contains(labels)) throw std::out_of_range("no sample " + name);
  return samples->at(labels);
}

bool has(std::map<std::string, Family> const& families, std::string const& name, Labels const& labels) {
  auto const* samples = find_samples(families, name);
  return samples != nullptr && samples->contains(labels);
}

std::size_t sample_count(std::map<std::string, Family> const& families) {
  std::size_t n = 0;
  for (auto const& [name, family] : families) {
    for (auto const& [sample, values] : family.samples) n += values.size();
  }
  return n;
}

}  // namespace kvgate::test
