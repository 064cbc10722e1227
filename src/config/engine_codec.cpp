#include "config/engine_codec.hpp"

#include <algorithm>

#include "config/checks.hpp"
#include "config/option_table.hpp"
#include "config/url.hpp"

namespace kvgate::config {
namespace {

constexpr std::string_view engines_allowed = "a list of engines, each a URL or a map with url";

EngineSpec read_engine(Node const& node, Reading const& reading) {
  EngineSpec engine;
  if (node.kind != Node::Kind::scalar) {
    read_rows(engine, engine_table(), node, reading);
    if (!node.find("url")) fail(reading.place, "has no url", engine_url_allowed);
    return engine;
  }
  Node const entry = Node::map({Node(node).named("url")});
  read_rows(engine, engine_table(), entry, reading);
  return engine;
}

std::vector<EngineSpec> read_engines(Node const& node, Reading const& reading) {
  if (node.kind != Node::Kind::list) refuse(node, reading, "is a value, not a list", engines_allowed);
  std::vector<EngineSpec> engines;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Reading const here = reading.at(reading.place.element(i, node.items[i]));
    EngineSpec engine = read_engine(node.items[i], here);
    auto const same = std::find_if(engines.begin(), engines.end(),
                                   [&](EngineSpec const& other) { return other.url.text == engine.url.text; });
    if (same != engines.end()) {
      fail(here.place, engine.url.text + " is also engines[" + std::to_string(same - engines.begin()) + "]",
           "each engine once");
    }
    engines.push_back(std::move(engine));
  }
  return engines;
}

std::map<std::string, RouteTimeouts> read_routes(Node const& node, Reading const& reading) {
  constexpr std::string_view allowed = "a map of /path: {first_byte, between_bytes, total}";
  if (node.kind != Node::Kind::map) refuse(node, reading, "is a value, not a map", allowed);
  std::map<std::string, RouteTimeouts> routes;
  for (Node const& item : node.items) {
    Reading const here = reading.at(reading.place.member(item));
    if (!route_path(item.key)) fail(here.place, "is not a path", allowed);
    read_rows(routes[item.key], route_table(), item, here);
  }
  return routes;
}

}  // namespace

Codec<std::vector<EngineSpec>> engine_list() {
  auto write = [](std::vector<EngineSpec> const& engines) {
    Node out = Node::list();
    for (EngineSpec const& engine : engines) out.items.push_back(write_rows(engine, engine_table()));
    return out;
  };
  return {"list of engines", std::string(engines_allowed), read_engines, write};
}

Codec<std::map<std::string, RouteTimeouts>> route_map() {
  auto write = [](std::map<std::string, RouteTimeouts> const& routes) {
    Node out = Node::map();
    for (auto const& [path, timeouts] : routes) {
      out.items.push_back(write_rows(timeouts, route_table()).named(path));
    }
    return out;
  };
  return {"map of routes", "/path: {first_byte, between_bytes, total}", read_routes, write};
}

}  // namespace kvgate::config
