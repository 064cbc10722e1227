// Follows a response body through bytes that are cut anywhere: where its payload is and where it ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "http/chunks.hpp"
#include "http/head.hpp"

namespace kvgate::http {

class BodyTracker {
 public:
  struct Fed {
    std::size_t used = 0;      ///< bytes of the input that belong to the message
    std::size_t payload = 0;   ///< body bytes among them
    bool bad = false;          ///< not the chunked coding
  };

  void start(Framing framing, std::uint64_t length) noexcept {
    framing_ = framing;
    left_ = length;
    chunks_.reset();
  }

  /// `sink(std::string_view)` is given the payload, piece by piece.
  template <class Sink>
  Fed feed(std::string_view bytes, Sink&& sink);

  /// Whether these next bytes hold a body byte, the end, or nonsense; the tracker is left as it is.
  enum class Peek : std::uint8_t { nothing, something, bad };
  Peek peek(std::string_view bytes) const noexcept {
    if (framing_ != Framing::chunked) return done() || !bytes.empty() ? Peek::something : Peek::nothing;
    auto const step = ChunkTracker(chunks_).next(bytes);
    if (step.event == ChunkTracker::Event::bad) return Peek::bad;
    return step.event == ChunkTracker::Event::need_more ? Peek::nothing : Peek::something;
  }

  /// The message is complete. Never true for until_close: there the end of the connection says it.
  bool done() const noexcept {
    return framing_ == Framing::none || (framing_ == Framing::sized && left_ == 0) || chunks_.done();
  }
  Framing framing() const noexcept { return framing_; }
  /// Between chunks; elsewhere an event cannot be put in without breaking the framing.
  bool at_boundary() const noexcept {
    return framing_ == Framing::until_close || (framing_ == Framing::chunked && chunks_.at_boundary());
  }

 private:
  Framing framing_ = Framing::none;
  std::uint64_t left_ = 0;
  ChunkTracker chunks_;
};

template <class Sink>
BodyTracker::Fed BodyTracker::feed(std::string_view bytes, Sink&& sink) {
  Fed fed;
  if (framing_ == Framing::sized || framing_ == Framing::until_close) {
    fed.used = framing_ == Framing::sized ? static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()))
                                          : bytes.size();
    fed.payload = fed.used;
    left_ -= framing_ == Framing::sized ? fed.used : 0;
    if (fed.used) sink(bytes.substr(0, fed.used));
  } else if (framing_ == Framing::chunked) {
    for (;;) {
      auto const step = chunks_.next(bytes.substr(fed.used));
      fed.used += step.used;
      fed.bad = step.event == ChunkTracker::Event::bad;
      if (step.event != ChunkTracker::Event::payload) break;
      fed.payload += step.payload.size();
      sink(step.payload);
    }
  }
  return fed;
}

}  // namespace kvgate::http
