#include "text/tokenizer/charsmap.hpp"

#include <simdjson.h>

#include <cstring>

#include "text/unicode/code_point.hpp"

namespace kvgate::text {
namespace {

bool has_leaf(std::uint32_t unit) noexcept {
  return unit >> 8 & 1;
}
std::uint32_t label(std::uint32_t unit) noexcept {
  return unit & (1u << 31 | 0xff);
}
std::size_t offset(std::uint32_t unit) noexcept {
  return std::size_t{unit >> 10} << ((unit & 1u << 9) >> 6);
}
std::uint32_t value(std::uint32_t unit) noexcept {
  return unit & ((1u << 31) - 1);
}

Error broken() {
  return Error(ErrorKind::bad_request, "Precompiled: \"precompiled_charsmap\" is broken");
}

}  // namespace

Result<Charsmap> Charsmap::make(std::string_view bytes) {
  std::uint32_t size = 0;
  if (bytes.size() < sizeof size) return broken();
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  std::size_t const trie_bytes = size / sizeof(std::uint32_t) * sizeof(std::uint32_t);
  if (trie_bytes == 0 || trie_bytes > bytes.size()) return broken();
  Charsmap map;
  map.units_.resize(trie_bytes / sizeof(std::uint32_t));
  std::memcpy(map.units_.data(), bytes.data(), trie_bytes);
  map.texts_ = bytes.substr(trie_bytes);
  if (!simdjson::validate_utf8(map.texts_) || !map.is_sound()) return broken();
  return map;
}

std::optional<std::string_view> Charsmap::replacement(std::string_view text) const noexcept {
  std::size_t at = offset(units_[0]);
  for (char c : text) {
    auto const byte = static_cast<unsigned char>(c);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label(units_[at]) != byte) return std::nullopt;
    bool const leaf = has_leaf(units_[at]);
    at ^= offset(units_[at]);
    if (!leaf) continue;
    auto const begin = value_at(at);
    if (!begin) return std::nullopt;
    std::string_view const rest = std::string_view(texts_).substr(*begin);
    return rest.substr(0, rest.find('\0'));
  }
  return std::nullopt;
}

/// Where in texts_ the replacement begins; nullopt: nowhere.
std::optional<std::uint32_t> Charsmap::value_at(std::size_t unit) const noexcept {
  if (unit >= units_.size()) return std::nullopt;
  std::uint32_t const begin = value(units_[unit]);
  if (begin > texts_.size() || (begin < texts_.size() && is_continuation(texts_[begin]))) return std::nullopt;
  return begin;
}

bool Charsmap::is_sound() const noexcept {
  for (std::size_t at = 0; at < units_.size(); ++at) {
    bool const is_inner = units_[at] >> 31 == 0;
    if (is_inner && has_leaf(units_[at]) && !value_at(at ^ offset(units_[at]))) return false;
  }
  return true;
}

}  // namespace kvgate::text
