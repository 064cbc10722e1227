// The fast way from text to ids, for the pipelines that it knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "text/bpe/scratch.hpp"
#include "text/spec/spec.hpp"

namespace kvgate::text::bpe {

/// Text between two added tokens, well-formed UTF-8.
struct Segment {
  std::string_view text;
  bool at_start = true;  ///< it is the beginning of the whole text (Metaspace "first" asks)
};

/// Normalizer (where normalizes()), pre-tokenizer and model of one tokenizer. Immutable, so shared between threads; each
/// thread brings its own Scratch.
class SegmentEncoder {
 public:
  virtual ~SegmentEncoder() = default;
  SegmentEncoder(SegmentEncoder const&) = delete;
  SegmentEncoder& operator=(SegmentEncoder const&) = delete;

  /// Appends the ids of the segment. Nothing is allocated once `out` and `scratch` have grown to what texts need.
  virtual void encode(Segment segment, Scratch& scratch, std::vector<std::uint32_t>& out) const = 0;

  /// Whether encode() does the work of the file's normalizers too. It then takes raw and normalized text alike, but for
  /// what `Prepend` puts before it. Otherwise the caller normalizes.
  virtual bool normalizes() const noexcept = 0;

  virtual std::size_t memory() const noexcept = 0;  ///< bytes

 protected:
  SegmentEncoder();
  std::uint64_t serial() const noexcept { return serial_; }  ///< no other encoder of the process has it

 private:
  std::uint64_t serial_;
};

/// nullptr: a pipeline that has no fast way here.
std::unique_ptr<SegmentEncoder const> make_fast_encoder(TokenizerSpec const& spec);

}  // namespace kvgate::text::bpe
