// Questions that show whether an engine makes the same token ids of the same requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokens/table.hpp"

namespace kvgate::tokens {

/// A body for the engine's POST /tokenize, and what must come of it.
struct Probe {
  std::string name;   ///< for people
  std::string body;
  std::vector<std::uint32_t> ids;
};

/// A few texts, and a chat where the model's template is known. `model` has assets; `id` is its name.
std::vector<Probe> make_probes(Model const& model, std::string_view id);

/// What differs, for people; empty: nothing.
std::string difference(Probe const& probe, std::vector<std::uint32_t> const& told);

}  // namespace kvgate::tokens
