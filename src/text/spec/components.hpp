// The parts of tokenizer.json beside the model. All throw SpecError.
#pragma once

#include "text/spec/json.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text::spec {

/// Appends to `out`: of a Sequence its members, in order; of null nothing.
void read_normalizer(element const& value, std::vector<NormalizerSpec>& out);
void read_pre_tokenizer(element const& value, std::vector<PreTokenizerSpec>& out);

std::vector<PostPiece> read_post_processor(element const& value);
std::vector<AddedTokenSpec> read_added_tokens(element const& value);

// What two or more of them share.

/// The "type" of a component of that kind. `depth` bounds how deep sequences may nest.
std::string_view component_type(object const& component, std::string_view kind, int depth);
PatternSpec read_pattern(object const& component, std::string_view name);

}  // namespace kvgate::text::spec
