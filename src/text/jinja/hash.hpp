// Hashes of dict keys and set members; equal values (1, 1.0 and True; text and Markup) have equal hashes.
#pragma once

#include <cstdint>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

std::uint64_t hash_of(std::string_view text) noexcept;

/// `value` must be hashable(). Throws Thrown (limit_reached) for tuples that hold tuples deeper than 20 levels.
std::uint64_t hash_of(Value const& value);

}  // namespace kvgate::jinja
