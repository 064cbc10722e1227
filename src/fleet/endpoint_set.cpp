#include "fleet/endpoint_set.hpp"

#include <algorithm>

namespace kvgate::fleet {
namespace {

bool served(ModelEntry const& model) {
  return std::ranges::any_of(model.by_member, [](auto const& m) { return m != nullptr; });
}

}  // namespace

ModelEntry const* EndpointSet::find_model(std::string_view id) const {
  auto const found = index_.find(id);
  return found == index_.end() ? nullptr : &models[found->second];
}

ModelEntry const* EndpointSet::only_base_model() const {
  ModelEntry const* only = nullptr;
  for (auto const& model : models) {
    if (!model.base || !served(model)) continue;
    if (only) return nullptr;
    only = &model;
  }
  return only;
}

bool EndpointSet::joining() const {
  return std::ranges::any_of(members, [](Member const& m) {
    return !m.models_known && m.endpoint->health() != Health::down;
  });
}

}  // namespace kvgate::fleet
