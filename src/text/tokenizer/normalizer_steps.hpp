// The steps of NormalizerChain that have a file of their own.
#pragma once

#include "text/tokenizer/normalizer.hpp"

namespace kvgate::text {

std::unique_ptr<Normalizer const> make_bert_normalizer(BertNormalizer const& spec);
Result<std::unique_ptr<Normalizer const>> make_replace_normalizer(ReplaceNormalizer const& spec);
Result<std::unique_ptr<Normalizer const>> make_precompiled_normalizer(PrecompiledNormalizer const& spec);

}  // namespace kvgate::text
