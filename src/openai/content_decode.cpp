#include "openai/content_decode.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/ascii.hpp"
#include "openai/header_params.hpp"
#include "openai/request_view.hpp"

namespace kvgate::openai {
namespace {

constexpr int kGzip = MAX_WBITS + 16;
constexpr int kZlib = MAX_WBITS;
constexpr int kRawDeflate = -MAX_WBITS;
constexpr std::size_t kFirstBlock = 16 * 1024;

Error broken() {
  return Error(ErrorKind::bad_request, "the compressed request body is broken");
}

Error too_large() {
  return Error(ErrorKind::body_too_large, "the decoded request body is too large");
}

uInt clamp(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

/// One decompression; frees zlib's state whatever happens.
class Inflater {
 public:
  Inflater(std::string_view body, std::size_t max) : body_(body), max_(max) {}
  Inflater(Inflater const&) = delete;
  Inflater& operator=(Inflater const&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  Result<std::string> run(int window_bits) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) return Error(ErrorKind::out_of_memory);
    for (std::size_t taken = 0;;) {
      // Z_OK means progress, so the loop ends; without any (Z_BUF_ERROR) the input is used up too early.
      auto const status = step(taken);
      if (status == Z_MEM_ERROR) return Error(ErrorKind::out_of_memory);
      if (status != Z_OK && status != Z_STREAM_END) return broken();
      if (size_ > max_) return too_large();
      if (status == Z_OK) continue;
      if (taken == body_.size()) break;
      // A gzip file may be several, one after the other; zlib and raw deflate streams end once.
      if (window_bits != kGzip || inflateReset(&stream_) != Z_OK) return broken();
    }
    out_.resize(size_);
    return std::move(out_);
  }

 private:
  /// Inflates into the free space, which is made when there is none: one byte more than `max` tells that it is too
  /// much.
  int step(std::size_t& taken) {
    if (size_ == out_.size()) grow();
    auto const input = body_.substr(taken);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = clamp(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + size_);
    stream_.avail_out = clamp(out_.size() - size_);
    auto const offered_in = stream_.avail_in;
    auto const offered_out = stream_.avail_out;
    auto const status = inflate(&stream_, Z_NO_FLUSH);
    taken += offered_in - stream_.avail_in;
    size_ += offered_out - stream_.avail_out;
    return status;
  }

  void grow() {
    auto const wanted = std::min(std::max(kFirstBlock, out_.size() * 2), max_ + 1);
    out_.reserve(wanted + kBodyPadding);
    out_.resize(wanted);
  }

  z_stream stream_{};
  std::string_view body_;
  std::size_t max_;
  std::string out_;
  std::size_t size_ = 0;
};

/// Clients disagree on whether "deflate" has zlib's two bytes in front; their check digits decide.
bool zlib_header(std::string_view body) {
  if (body.size() < 2) return false;
  auto const first = static_cast<unsigned char>(body[0]);
  auto const second = static_cast<unsigned char>(body[1]);
  return (first & 15) == Z_DEFLATED && (first * 256u + second) % 31 == 0;
}

Result<std::string> copy(std::string_view body, std::size_t max) {
  if (body.size() > max) return too_large();
  std::string out;
  out.reserve(body.size() + kBodyPadding);
  out = body;
  return out;
}

}  // namespace

Result<std::string> decode_body(std::string_view encoding, std::string_view body, std::size_t max) {
  auto const name = trim_blanks(encoding);
  if (name.empty() || iequals(name, "identity")) return copy(body, max);
  if (iequals(name, "gzip") || iequals(name, "x-gzip")) return Inflater(body, max).run(kGzip);
  if (iequals(name, "deflate")) return Inflater(body, max).run(zlib_header(body) ? kZlib : kRawDeflate);
  return Error(ErrorKind::unsupported_media, "the Content-Encoding of the request is not gzip or deflate");
}

}  // namespace kvgate::openai
