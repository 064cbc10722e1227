#include "config/codec.hpp"

#include <algorithm>
#include <cstddef>

#include "config/units.hpp"

namespace kvgate::config {
namespace {

std::string quote(std::string const& value) {
  constexpr std::size_t longest = 80;
  return "\"" + (value.size() > longest ? value.substr(0, longest) + "..." : value) + "\"";
}

bool looks_octal(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

/// A codec over a parser of scalars and its printer. The bounds are part of `parse`.
template <class T, class Parse, class Format>
Codec<T> scalar(std::string type, std::string allowed, Parse parse, Format format) {
  auto read = [type, allowed, parse](Node const& node, Reading const& reading) -> T {
    if (node.kind != Node::Kind::scalar) refuse(node, reading, "", allowed);
    std::optional<T> value = parse(node.text, reading);
    if (value) return *std::move(value);
    refuse(node, reading, looks_octal(node.text) ? "has a leading zero" : "is not a valid " + type, allowed);
  };
  return {type, allowed, read, [format](T const& value) { return Node::scalar(format(value)); }};
}

/// A codec of ordered values between two bounds.
template <class T, class Parse, class Format>
Codec<T> bounded(std::string type, std::pair<T, T> bounds, Parse parse, Format format) {
  std::string allowed = format(bounds.first) + " to " + format(bounds.second);
  auto checked = [=](std::string const& text, Reading const&) -> std::optional<T> {
    auto const value = parse(text);
    return value && *value >= bounds.first && *value <= bounds.second ? std::optional<T>(*value) : std::nullopt;
  };
  return scalar<T>(std::move(type), std::move(allowed), checked, format);
}

std::string same(std::string const& text) {
  return text;
}

}  // namespace

void refuse(Node const& node, Reading const& reading, std::string const& wrong, std::string_view allowed) {
  if (node.kind != Node::Kind::scalar) {
    fail(reading.place, "is " + std::string(describe(node.kind)), allowed);
  }
  fail(reading.place, reading.secret ? wrong : quote(node.text) + " " + wrong, allowed);
}

Codec<bool> boolean() {
  auto parse = [](std::string const& text, Reading const&) {
    return text == "true" || text == "false" ? std::optional(text == "true") : std::nullopt;
  };
  return scalar<bool>("boolean", "true, false", parse, [](bool value) { return value ? "true" : "false"; });
}

Codec<std::uint64_t> whole(std::uint64_t min, std::uint64_t max) {
  return bounded<std::uint64_t>("number", {min, max}, parse_whole, [](std::uint64_t v) { return std::to_string(v); });
}

Codec<std::int64_t> integer(std::int64_t min, std::int64_t max) {
  return bounded<std::int64_t>("number", {min, max}, parse_integer, [](std::int64_t v) { return std::to_string(v); });
}

Codec<double> number(double min, double max) {
  return bounded<double>("number", {min, max}, parse_number, format_number);
}

Codec<double> positive_number(double max) {
  auto parse = [max](std::string const& text, Reading const&) -> std::optional<double> {
    auto const value = parse_number(text);
    return value && *value > 0 && *value <= max ? value : std::nullopt;
  };
  return scalar<double>("number", "more than 0, at most " + format_number(max), parse, format_number);
}

Codec<std::uint64_t> size(std::uint64_t min, std::uint64_t max) {
  return bounded<std::uint64_t>("size", {min, max}, parse_size, format_size);
}

Codec<std::chrono::milliseconds> duration(std::chrono::milliseconds min, std::chrono::milliseconds max) {
  return bounded<std::chrono::milliseconds>("duration", {min, max}, parse_duration, format_duration);
}

Codec<std::chrono::seconds> whole_seconds(std::chrono::seconds max) {
  auto parse = [](std::string const& text) -> std::optional<std::chrono::seconds> {
    auto const value = parse_duration(text);
    if (!value || value->count() % 1000 != 0) return {};
    return std::chrono::duration_cast<std::chrono::seconds>(*value);
  };
  return bounded<std::chrono::seconds>("duration in whole seconds", {std::chrono::seconds(0), max}, parse,
                                       [](std::chrono::seconds value) { return format_duration(value); });
}

Codec<std::string> text(std::string type, std::string allowed, bool (*check)(std::string_view)) {
  auto parse = [check](std::string const& value, Reading const&) {
    return check(value) ? std::optional(value) : std::nullopt;
  };
  return scalar<std::string>(std::move(type), std::move(allowed), parse, same);
}

Codec<std::string> choice(std::vector<std::string> names) {
  std::string allowed = join(names);
  auto parse = [names = std::move(names)](std::string const& value, Reading const&) {
    return std::find(names.begin(), names.end(), value) != names.end() ? std::optional(value) : std::nullopt;
  };
  return scalar<std::string>("choice", std::move(allowed), parse, same);
}

Codec<std::string> name_of(std::string type, std::span<std::string_view const> Catalogue::*names) {
  auto parse = [names, type](std::string const& value, Reading const& reading) -> std::optional<std::string> {
    auto const known = reading.catalogue.*names;
    if (std::find(known.begin(), known.end(), value) != known.end()) return value;
    refuse(Node::scalar(value), reading, "is not a " + type, join({known.begin(), known.end()}));
  };
  return scalar<std::string>(type, "a " + type + " that `kvgate --help` lists", parse, same);
}

Codec<std::vector<std::string>> list_of(Codec<std::string> item, std::size_t min_items, std::size_t max_items) {
  std::string const most = max_items < std::numeric_limits<std::size_t>::max() ? "at most " + std::to_string(max_items) : "any number";
  std::string const allowed = (min_items > 0 ? "one or more" : most) + ", none twice, of: " + item.allowed;
  auto read = [=, read_item = item.read](Node const& node, Reading const& reading) {
    std::vector<std::string> out;
    if (node.kind != Node::Kind::list) refuse(node, reading, "is a value, not a list", "[" + allowed + "]");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Reading const here = reading.at(reading.place.element(i, node.items[i]));
      std::string value = read_item(node.items[i], here);
      if (std::find(out.begin(), out.end(), value) != out.end()) {
        refuse(node.items[i], here, "is given twice", "each once");
      }
      out.push_back(std::move(value));
    }
    if (out.size() < min_items) fail(reading.place, "is an empty list", allowed);
    if (out.size() > max_items) fail(reading.place, "is too long a list", allowed);
    return out;
  };
  auto write = [write_item = item.write](std::vector<std::string> const& values) {
    Node out = Node::list();
    for (std::string const& value : values) out.items.push_back(write_item(value));
    return out;
  };
  return {"list of " + item.type, allowed, read, write};
}

Codec<std::map<std::string, std::string>> map_of(Codec<std::string> value) {
  std::string const allowed = "NAME: " + value.allowed;
  auto read = [=, read_value = value.read](Node const& node, Reading const& reading) {
    std::map<std::string, std::string> out;
    if (node.kind != Node::Kind::map) refuse(node, reading, "is a value, not a map", allowed);
    for (Node const& item : node.items) {
      if (item.key.empty()) fail(reading.place, "has an empty name", allowed);
      out[item.key] = read_value(item, reading.at(reading.place.member(item)));
    }
    return out;
  };
  auto write = [write_value = value.write](std::map<std::string, std::string> const& values) {
    Node out = Node::map();
    for (auto const& [name, one] : values) out.items.push_back(write_value(one).named(name));
    return out;
  };
  return {"map of " + value.type, allowed, read, write};
}

}  // namespace kvgate::config
