#include "config/node.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kvgate/config_error.hpp"

namespace kvgate::config {
namespace {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      std::size_t const replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

Node Node::scalar(std::string text) {
  return {.kind = Kind::scalar, .text = std::move(text)};
}

Node Node::list(std::vector<Node> items) {
  return {.kind = Kind::list, .items = std::move(items)};
}

Node Node::map(std::vector<Node> items) {
  return {.kind = Kind::map, .items = std::move(items)};
}

Node const* Node::find(std::string_view name) const noexcept {
  auto const found = std::find_if(items.begin(), items.end(), [&](Node const& item) { return item.key == name; });
  return kind == Kind::map && found != items.end() ? &*found : nullptr;
}

Node Node::named(std::string name) && {
  key = std::move(name);
  return std::move(*this);
}

std::string_view describe(Node::Kind kind) noexcept {
  switch (kind) {
    case Node::Kind::null:
      return "empty";
    case Node::Kind::scalar:
      return "a value";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "";
}

Place Place::member(Node const& node) const {
  return {file, node.line > 0 ? node.line : line, key.empty() ? node.key : key + "." + node.key};
}

Place Place::element(std::size_t index, Node const& node) const {
  return {file, node.line > 0 ? node.line : line, key + "[" + std::to_string(index) + "]"};
}

void fail(Place const& place, std::string const& wrong, std::string_view allowed) {
  throw ConfigError(place.file, place.line, place.key.empty() ? "document" : place.key,
                    wrong + "; allowed: " + std::string(allowed));
}

std::string_view nearest(std::string_view name, std::vector<std::string> const& candidates) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  name = name.substr(0, 64);  // no name is longer, and the distance costs the product of the lengths
  for (std::string const& candidate : candidates) {
    std::size_t const distance = edit_distance(name, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string join(std::vector<std::string> const& names) {
  std::string out;
  for (std::string const& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace kvgate::config
