#include "text/bpe/segment_encoder.hpp"

#include <atomic>

#include "text/bpe/byte_level_encoder.hpp"
#include "text/bpe/sentence_encoder.hpp"

namespace kvgate::text::bpe {
namespace {

std::uint64_t next_serial() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

SegmentEncoder::SegmentEncoder() : serial_(next_serial()) {}

std::unique_ptr<SegmentEncoder const> make_fast_encoder(TokenizerSpec const& spec) {
  if (auto const pattern = known_split(spec.pre_tokenizers)) return make_byte_level_encoder(spec.model, *pattern);
  return make_sentence_encoder(spec);
}

}  // namespace kvgate::text::bpe
