#include "sim/base64.hpp"

#include <cstdint>

namespace kvgate::sim {

std::string base64_encode(std::string_view bytes) {
  constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      group = (group << 8U) | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      // A digit that stands for no input byte at all is padding.
      out.push_back(at + i > bytes.size() ? '=' : alphabet[(group >> (18 - 6 * i)) & 63U]);
    }
  }
  return out;
}

}  // namespace kvgate::sim
