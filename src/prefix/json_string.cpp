#include "prefix/json_string.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace kvgate::prefix {
namespace {

constexpr std::ptrdiff_t kUnicodeLength = 6;
constexpr char kQuoteInString = '\xF5';

/// [i][c]: what the character c adds to a code unit as its digit i; negative when it is none.
constexpr auto kHexDigits = [] {
  std::array<std::array<std::int32_t, 256>, 4> digits{};
  constexpr std::string_view kLower = "0123456789abcdef", kUpper = "0123456789ABCDEF";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    digits[i].fill(-1);
    for (std::size_t value = 0; value < 16; ++value) {
      digits[i][static_cast<unsigned char>(kLower[value])] = digits[i][static_cast<unsigned char>(kUpper[value])] =
          static_cast<std::int32_t>(value << (12 - 4 * i));
    }
  }
  return digits;
}();

/// The code unit of the \uXXXX at `at`; negative when there is none.
inline std::int32_t code_unit(char const* at, char const* end) noexcept {
  if (end - at < kUnicodeLength || at[0] != '\\' || at[1] != 'u') return -1;
  auto const digit = [at](std::size_t i) { return kHexDigits[i][static_cast<unsigned char>(at[2 + i])]; };
  return digit(0) | digit(1) | digit(2) | digit(3);
}

/// Where reading and writing are. Passed by value, in registers: through memory every escape would wait for the last.
struct Step {
  char const* at;
  char* out;  // nullptr: what is read is broken
};

inline char* encode_utf8(std::uint32_t code, char* out) noexcept {
  auto const tail = [code](unsigned shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    *out = static_cast<char>(code);
    return out + 1;
  }
  if (code < 0x800) {
    out[0] = static_cast<char>(0xC0 | code >> 6);
    out[1] = tail(0);
    return out + 2;
  }
  if (code < 0x10000) {
    out[0] = static_cast<char>(0xE0 | code >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return out + 3;
  }
  out[0] = static_cast<char>(0xF0 | code >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return out + 4;
}

/// With the low surrogate that may follow, when this is a high one.
Step read_surrogate(std::uint32_t code, Step step, char const* end) noexcept {
  auto const low = code < 0xDC00 ? code_unit(step.at, end) : -1;
  if (low < 0xDC00 || low >= 0xE000) return {step.at, encode_utf8(code, step.out)};
  auto const pair = 0x10000 + ((code - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
  return {step.at + kUnicodeLength, encode_utf8(pair, step.out)};
}

/// What a backslash and this character stand for; '\0': nothing.
constexpr auto kSimpleEscapes = [] {
  std::array<char, 256> bytes{};
  constexpr std::string_view kNames = "\"\\/bfnrt", kBytes = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < kNames.size(); ++i) bytes[static_cast<unsigned char>(kNames[i])] = kBytes[i];
  return bytes;
}();

/// Writes at most four bytes for the escape at `step.at`; moves behind both.
inline Step read_escape(Step step, char const* end) noexcept {
  auto const [at, out] = step;
  if (end - at < 2) return {at, nullptr};
  if (at[1] != 'u') {
    *out = kSimpleEscapes[static_cast<unsigned char>(at[1])];
    return {at + 2, *out == '\0' ? nullptr : out + 1};
  }
  auto const unit = code_unit(at, end);
  if (unit < 0) return {at, nullptr};
  Step const after{at + kUnicodeLength, out};
  auto const code = static_cast<std::uint32_t>(unit);
  if (code >= 0xD800 && code < 0xE000) return read_surrogate(code, after, end);
  return {after.at, encode_utf8(code, out)};
}

/// Copies text without escapes, up to the next quote or backslash or until `limit` is reached.
inline Step copy_plain(Step step, char const* end, char const* limit) noexcept {
  auto [at, out] = step;
  // The stride is a constant where nothing is found, so that the next load does not wait for this one.
  for (; out < limit && end - at >= 16; at += 16, out += 16) {
    if (auto const mask = copy_16(at, out)) {
      auto const plain = std::countr_zero(mask);
      return {at + plain, out + plain};
    }
  }
  while (out < limit && at != end && *at != '"' && *at != '\\') *out++ = *at++;
  return {at, out};
}

/// Decodes until the closing quote, the end or `limit`.
inline Step decode_some(Step step, char const* end, char const* limit, char quote) noexcept {
  while (step.out < limit && step.at != end && *step.at != '"') {
    if (*step.at == '\\') {
      auto* const escape = step.out;
      step = read_escape(step, end);
      if (step.out == nullptr) return step;
      if (*escape == '"') *escape = quote;
    }
    step = copy_plain(step, end, limit);
  }
  return step;
}

/// Writes the rest of a string up to its closing quote, which is not consumed; a quote in it as `quote`. False: an
/// escape is broken.
bool decode_rest(char const*& at, char const* end, TextSink& sink, char quote) {
  while (at != end && *at != '"') {
    auto* const start = sink.room();
    auto const step = decode_some({at, start}, end, start + TextSink::kRoom - 16, quote);
    if (step.out == nullptr) return false;
    at = step.at;
    sink.wrote(static_cast<std::size_t>(step.out - start));
  }
  return true;
}

/// What write_canonical() does, chunk by chunk. Up to kSlack bytes behind the end are read, not used.
class CanonicalWriter {
 public:
  static constexpr std::ptrdiff_t kChunk = 64;
  static constexpr std::ptrdiff_t kSlack = 2 * kChunk;

  explicit CanonicalWriter(TextSink& sink) : sink_(sink) {}

  /// Until less than `left` bytes are left. False: there is something that is no JSON.
  bool write(char const*& at, char const* end, std::ptrdiff_t left) {
    while (end - at > left) {
      auto const size = std::min(kChunk, end - at);
      auto const masks = masks_of_64(at);
      auto const plain = std::min<std::ptrdiff_t>(size, std::countr_zero(masks.backslashes));
      if (plain > 0) copy_tokens(masks, at, plain);
      at += plain;
      // A string with escapes is read to its end in one go: its quotes are not all quotes.
      if (plain < size && !(in_string_ && decode_rest(at, end, sink_, kQuoteInString))) return false;
    }
    return true;
  }

 private:
  /// Each run between blanks is copied with all that follows it, which the next one overwrites.
  void copy_tokens(ByteMasks const& masks, char const* from, std::ptrdiff_t size) {
    auto const inside = odd_so_far(masks.quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
    auto const valid = ~std::uint64_t{0} >> (kChunk - size);
    auto* const start = sink_.room();
    auto* out = start;
    auto const* const end = from + size;
    auto const* const chunk = from;
    for (auto blanks = masks.blanks & ~inside & valid; blanks != 0; blanks &= blanks - 1) {
      auto const* const blank = chunk + std::countr_zero(blanks);
      std::memcpy(out, from, kChunk);
      out += blank - from;
      from = blank + 1;
    }
    std::memcpy(out, from, kChunk);
    sink_.wrote(static_cast<std::size_t>(out + (end - from) - start));
    in_string_ = (inside >> (size - 1) & 1) != 0;
  }

  TextSink& sink_;
  bool in_string_ = false;
};

}  // namespace

void read_string(JsonCursor& cursor, TextSink& sink) {
  cursor.advance(1);
  auto const run = cursor.plain_run();
  sink.put(run, cursor.end());
  if (cursor.done()) return;
  if (*cursor.at() == '"') return cursor.advance(1);
  auto const* at = cursor.at();
  if (!decode_rest(at, cursor.end(), sink, '"')) return cursor.fail();
  cursor.move_to(at == cursor.end() ? at : at + 1);
}

void write_canonical(std::string_view json, TextSink& sink) {
  CanonicalWriter writer(sink);
  auto const* at = json.data();
  auto const* end = at + json.size();
  if (!writer.write(at, end, CanonicalWriter::kSlack)) return;
  std::array<char, 2 * CanonicalWriter::kSlack> tail{};
  end = std::copy(at, end, tail.data());
  at = tail.data();
  writer.write(at, end, 0);
}

}  // namespace kvgate::prefix
