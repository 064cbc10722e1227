// Byte-level BPE behind one of the known split patterns.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "text/bpe/byte_words.hpp"
#include "text/bpe/segment_encoder.hpp"
#include "text/bpe/split_pattern.hpp"

namespace kvgate::text::bpe {

/// The caller normalizes. nullptr: the model has no fast way (ByteWords::make).
std::unique_ptr<SegmentEncoder const> make_byte_level_encoder(ModelSpec const& model, SplitPattern pattern);

using PieceSink = std::function<void(std::string_view)>;

/// Calls `piece` with each piece of the text, in order: what the tests compare with the regular expressions.
void for_each_piece(SplitPattern pattern, std::string_view text, PieceSink const& piece);

}  // namespace kvgate::text::bpe
