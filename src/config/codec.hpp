// How a value of one type is read, checked, printed and described. A codec is a value; the option table owns them.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/catalogue.hpp"
#include "config/node.hpp"

namespace kvgate::config {

/// What a reader needs besides the value.
struct Reading {
  Place place;
  Catalogue const& catalogue;
  bool secret = false;  ///< messages must not quote the value

  Reading at(Place other) const { return {std::move(other), catalogue, secret}; }
};

template <class T>
struct Codec {
  std::string type;                                    ///< one word or two, for --help and documentation
  std::string allowed;                                 ///< what is allowed, for messages and documentation
  std::function<T(Node const&, Reading const&)> read;  ///< throws ConfigError
  std::function<Node(T const&)> write;                 ///< reading it gives the same value
};

/// Throws ConfigError: `"value" wrong; allowed: allowed`, or names the kind of a node that is no single value.
[[noreturn]] void refuse(Node const& node, Reading const& reading, std::string const& wrong, std::string_view allowed);

/// The same codec for another type that converts from and to it without loss inside the codec's bounds.
template <class To, class From>
Codec<To> cast(Codec<From> codec) {
  return {
      codec.type, codec.allowed,
      [read = codec.read](Node const& node, Reading const& reading) { return static_cast<To>(read(node, reading)); },
      [write = codec.write](To const& value) { return write(static_cast<From>(value)); }};
}

/// Unset is `null`.
template <class T>
Codec<std::optional<T>> optional_of(Codec<T> codec) {
  return {codec.type, codec.allowed + ", or null for unset",
          [read = codec.read](Node const& node, Reading const& reading) -> std::optional<T> {
            if (node.kind == Node::Kind::null) return std::nullopt;
            return read(node, reading);
          },
          [write = codec.write](std::optional<T> const& value) { return value ? write(*value) : Node{}; }};
}

Codec<bool> boolean();
Codec<std::uint64_t> whole(std::uint64_t min, std::uint64_t max);
Codec<std::int64_t> integer(std::int64_t min, std::int64_t max);
Codec<double> positive_number(double max);
Codec<double> number(double min, double max);
Codec<std::uint64_t> size(std::uint64_t min, std::uint64_t max);
Codec<std::chrono::milliseconds> duration(std::chrono::milliseconds min, std::chrono::milliseconds max);
Codec<std::chrono::seconds> whole_seconds(std::chrono::seconds max);

/// Text that `check` accepts.
Codec<std::string> text(std::string type, std::string allowed, bool (*check)(std::string_view));
Codec<std::string> choice(std::vector<std::string> names);
/// One of the names in that list of the catalogue.
Codec<std::string> name_of(std::string type, std::span<std::string_view const> Catalogue::*names);

/// No item may repeat.
Codec<std::vector<std::string>> list_of(Codec<std::string> item, std::size_t min_items = 0,
                                        std::size_t max_items = std::numeric_limits<std::size_t>::max());
/// A map with free names.
Codec<std::map<std::string, std::string>> map_of(Codec<std::string> value);

}  // namespace kvgate::config
