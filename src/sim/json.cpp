#include "sim/json.hpp"

#include <nlohmann/json.hpp>

namespace kvgate::sim {

std::string dump(Json const& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json const* member(Json const& object, char const* key) {
  if (!object.is_object()) return nullptr;
  auto const found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string string_or(Json const& object, char const* key, std::string fallback) {
  auto const* value = member(object, key);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::move(fallback);
}

bool bool_or(Json const& object, char const* key, bool fallback) {
  auto const* value = member(object, key);
  return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
}

std::optional<std::uint64_t> number(Json const& object, char const* key) {
  auto const* value = member(object, key);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  return value->get<std::uint64_t>();
}

}  // namespace kvgate::sim
