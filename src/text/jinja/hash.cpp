#include "text/jinja/hash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/random.hpp"
#include "text/jinja/big_int.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {
namespace {

constexpr int kMaxDepth = 20;

std::uint64_t seed() noexcept {
  static std::uint64_t const value = random_seed();
  return value;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  auto const product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd1b54a32d192ed03u);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_double(double d) noexcept {
  if (d >= -0x1p63 && d < 0x1p63 && d == std::trunc(d)) return mix(static_cast<std::uint64_t>(d), seed());
  return mix(std::bit_cast<std::uint64_t>(d), seed());
}

std::uint64_t hash_at(Value const& value, int depth) {
  switch (value.kind()) {
    case Kind::boolean:
    case Kind::integer:
      return mix(static_cast<std::uint64_t>(value.int64()), seed());
    case Kind::big_integer:
      return hash_double(to_double(value.big()));
    case Kind::floating:
      return hash_double(value.floating());
    case Kind::string:
    case Kind::markup:
      return hash_of(value.text());
    case Kind::tuple: {
      if (depth > kMaxDepth) over_limit("a dict key nests too deep");
      std::uint64_t state = value.items().size();
      for (Value const& item : value.items()) state = mix(state, hash_at(item, depth + 1));
      return state;
    }
    case Kind::object:
      return value.object().kind == ObjectKind::range ? 0
                                                      : mix(reinterpret_cast<std::uintptr_t>(&value.object()), seed());
    default:
      return static_cast<std::uint64_t>(value.kind());
  }
}

}  // namespace

std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t state = seed() ^ text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    state = mix(state, word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data(), text.size());
  return mix(state, rest ^ seed());
}

std::uint64_t hash_of(Value const& value) {
  return hash_at(value, 0);
}

bool hashable(Value const& value) {
  if (value.is(Kind::list) || value.is(Kind::dict)) return false;
  if (value.is(Kind::object) && value.object().kind == ObjectKind::dict_keys) return false;
  if (!value.is(Kind::tuple)) return true;
  return std::all_of(value.items().begin(), value.items().end(), [](Value const& item) { return hashable(item); });
}

}  // namespace kvgate::jinja
