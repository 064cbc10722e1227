// From a request to the token ids of its prompt.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "openai/api.hpp"
#include "tokens/table.hpp"

namespace kvgate::text {
class SegmentCache;
}

namespace kvgate::tokens {

inline constexpr std::string_view kExact = "exact";
inline constexpr std::string_view kRemote = "remote";

/// Makes the ids of the one prompt of `body` with the model's assets, which are usable. `out` is overwritten; it is
/// empty unless the result is kExact. Any other result says why, in static storage: a name of text::Unknown,
/// `refused` (the engine will say why) or `several` (prompts). Thread-safe; keeps scratch for each thread.
std::string_view read_tokens(Model const& model, openai::ApiKind api, std::string_view body, text::SegmentCache& cache,
                             std::vector<std::uint32_t>& out);

/// The ids in an engine's answer to POST /tokenize; nullopt: there are none.
std::optional<std::vector<std::uint32_t>> ids_in_answer(std::string_view body);

}  // namespace kvgate::tokens
