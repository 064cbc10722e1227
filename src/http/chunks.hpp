// Follows the chunked transfer coding (RFC 9112 section 7.1) through bytes that are cut anywhere, without copying them:
// says where the message ends, where the payload is, and whether the bytes are sound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kvgate::http {

class ChunkTracker {
 public:
  enum class Event : std::uint8_t {
    need_more,   ///< all bytes were used; the message goes on
    payload,     ///< `payload` holds the next piece of the body
    done,        ///< the message has ended; bytes behind `used` belong to whatever comes next
    bad,         ///< not the chunked coding
  };
  struct Step {
    Event event = Event::need_more;
    std::size_t used = 0;              ///< bytes of the input that are behind us
    std::string_view payload;
  };

  void reset() noexcept { *this = ChunkTracker(); }
  /// Call again with the rest after `payload`.
  Step next(std::string_view bytes) noexcept;
  /// Between chunks: an event could be put in here. True also before the first chunk, not after the last.
  bool at_boundary() const noexcept { return state_ == State::size && digits_ == 0; }
  bool done() const noexcept { return state_ == State::done; }

 private:
  enum class State : std::uint8_t { size, blank, extension, size_lf, data, data_cr, data_lf, trailer, trailer_line, trailer_cr, end_lf, done, bad };

  bool step(char c) noexcept;
  char const* plain_size_line(char const* at, char const* end) noexcept;
  Step data(char const* begin, char const* at, char const* end) noexcept;
  bool size_digit(char c) noexcept;

  State state_ = State::size;
  std::uint8_t digits_ = 0;
  std::uint32_t line_ = 0;             // bytes of the extension or the trailers so far: bounded
  std::uint64_t left_ = 0;
};

}  // namespace kvgate::http
