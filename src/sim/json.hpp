// JSON with keys in the order in which they were put in, and readers that never throw on what a client sent.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace kvgate::sim {

using Json = nlohmann::ordered_json;

/// Compact, as vLLM writes it; bytes that are not UTF-8 become U+FFFD.
std::string dump(Json const& value);

/// The member `key`, or nullptr when `object` is none, has no such member, or has null there.
Json const* member(Json const& object, char const* key);

/// The member `key` if it has the wanted type, else the fallback.
std::string string_or(Json const& object, char const* key, std::string fallback = {});
bool bool_or(Json const& object, char const* key, bool fallback);
std::optional<std::uint64_t> number(Json const& object, char const* key);

}  // namespace kvgate::sim
