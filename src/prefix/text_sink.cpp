#include "prefix/text_sink.hpp"

namespace kvgate::prefix {

void TextSink::flush() {
  if (pending_ == 0) return;
  consume({buffer_.data(), pending_});
  passed_ += pending_;
  pending_ = 0;
}

void TextSink::put_long(std::string_view piece) {
  if (piece.size() < kDirect) {
    std::memcpy(room(), piece.data(), piece.size());
    return wrote(piece.size());
  }
  flush();
  consume(piece);
  passed_ += piece.size();
}

}  // namespace kvgate::prefix
