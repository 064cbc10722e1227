// Where a prompt's text goes, piece by piece: small pieces are gathered, long ones pass by without a copy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kvgate::prefix {

/// Not thread-safe; one per text. How the text is cut into pieces makes no difference.
class TextSink {
 public:
  static constexpr std::size_t kRoom = 1024;

  TextSink(TextSink const&) = delete;
  TextSink& operator=(TextSink const&) = delete;

  /// Bytes up to `readable_end` may be read, though only `piece` counts: copies of a fixed size are the cheapest.
  void put(std::string_view piece, char const* readable_end) {
    if (piece.size() > kSmall) return put_long(piece);
    auto* const to = room();
    auto const readable = static_cast<std::size_t>(readable_end - piece.data());
    std::memcpy(to, piece.data(), readable >= kSmall ? kSmall : piece.size());
    wrote(piece.size());
  }
  void put(std::string_view piece) { put(piece, piece.data() + piece.size()); }

  /// Where the next kRoom bytes of text can be written; wrote() says how many of them are text.
  char* room() {
    if (pending_ > kRoom) flush();
    return buffer_.data() + pending_;
  }
  void wrote(std::size_t size) noexcept { pending_ += size; }

  /// Bytes of text so far.
  std::uint64_t size() const noexcept { return passed_ + pending_; }

 protected:
  TextSink() noexcept {}  // NOLINT: the buffer is not filled, on purpose
  ~TextSink() = default;

  /// Hands on what was gathered.
  void flush();

 private:
  static constexpr std::size_t kSmall = 16;
  static constexpr std::size_t kDirect = 256;

  /// The text, in order.
  virtual void consume(std::string_view piece) = 0;

  void put_long(std::string_view piece);

  std::uint64_t passed_ = 0;
  std::size_t pending_ = 0;
  std::array<char, 2 * kRoom + kSmall> buffer_;
};

}  // namespace kvgate::prefix
