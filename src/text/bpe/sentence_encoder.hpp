// SentencePiece-style BPE over whole texts, with the ways of writing blanks that tokenizer.json has for it.
#pragma once

#include <memory>

#include "text/bpe/segment_encoder.hpp"

namespace kvgate::text::bpe {

/// Normalizes too. nullptr: normalizers, pre-tokenizer or model are not of this kind.
std::unique_ptr<SegmentEncoder const> make_sentence_encoder(TokenizerSpec const& spec);

}  // namespace kvgate::text::bpe
