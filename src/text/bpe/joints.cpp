#include "text/bpe/joints.hpp"

#include "text/bpe/char_kind.hpp"

namespace kvgate::text::bpe {

void Joints::add(char32_t left, char32_t right) noexcept {
  if ((left | right) < 0x80) {
    ascii_[left][right] = true;
    return;
  }
  auto const bit = wide_bit(left, right);
  wide_[bit / 64] |= std::uint64_t{1} << (bit % 64);
}

char const* Joints::word_end(char const* p, char const* end) const noexcept {
  auto const at = [end](char const* c) {
    auto const byte = static_cast<unsigned char>(*c);
    return byte < 0x80 ? Utf8Step{byte, 1} : wide_code_point(c, end);
  };
  auto left = at(p);
  for (p += left.length; p < end; p += left.length) {
    auto const right = at(p);
    if (!may_join(left.code_point, right.code_point)) break;
    left = right;
  }
  return p;
}

}  // namespace kvgate::text::bpe
