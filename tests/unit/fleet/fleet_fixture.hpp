// Small fleets for the tests of fleet/, routing/ and proxy/.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet/registry.hpp"

namespace kvgate::fleet::test {

inline EngineSpec spec(std::string const& host, std::vector<std::string> models = {}) {
  EngineSpec spec;
  spec.url.host = host;
  spec.url.port = 8000;
  spec.url.authority = host + ":8000";
  spec.url.text = "http://" + spec.url.authority;
  spec.models = std::move(models);
  return spec;
}

inline std::shared_ptr<Endpoint> endpoint(EngineSpec spec) {
  auto const url = spec.url.text;
  auto memory = std::make_shared<prefix::Budget>(64 * 1024 * 1024);
  return std::make_shared<Endpoint>(EndpointId{url, 0, 1}, std::move(spec), 0, std::move(memory));
}

inline openai::ModelCard card(std::string const& id, std::string const& parent = {}) {
  return {id, parent, "", 0, "{\"id\":\"" + id + "\",\"parent\":\"" + parent + "\"}"};
}

/// Dense ids in the order in which names are first seen, as metrics give them.
inline Registry::InternId interner() {
  auto ids = std::make_shared<std::map<std::string, std::uint32_t>>();
  return [ids](std::string_view name) {
    return ids->try_emplace(std::string(name), static_cast<std::uint32_t>(ids->size())).first->second;
  };
}

}  // namespace kvgate::fleet::test
