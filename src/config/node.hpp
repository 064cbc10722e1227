// One value of the configuration before it has a type, and where it stands. Plain data, free of any YAML library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvgate::config {

struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  std::string key;          ///< its name, when it stands in a map
  std::string text;         ///< of a scalar
  int line = 0;             ///< from 1; 0: not from a file
  std::vector<Node> items;  ///< of a list or a map; the keys of a map are unique

  static Node scalar(std::string text);
  static Node list(std::vector<Node> items = {});
  static Node map(std::vector<Node> items = {});

  /// The item of that key, or nullptr.
  Node const* find(std::string_view name) const noexcept;

  /// The same node under that name.
  Node named(std::string name) &&;
};

/// "empty", "a value", "a list" or "a map".
std::string_view describe(Node::Kind kind) noexcept;

/// Where a value stands, for messages.
struct Place {
  std::string file;  ///< or `command line`, or `environment`
  int line = 0;      ///< 0: the source has no lines
  std::string key;   ///< dotted path, flag or variable

  Place member(Node const& node) const;                      ///< `key.name`
  Place element(std::size_t index, Node const& node) const;  ///< `key[index]`
};

/// Throws ConfigError: `wrong; allowed: allowed`.
[[noreturn]] void fail(Place const& place, std::string const& wrong, std::string_view allowed);

/// The candidate that a misspelt name most likely stands for; empty when none is near.
std::string_view nearest(std::string_view name, std::vector<std::string> const& candidates);

/// "a, b, c".
std::string join(std::vector<std::string> const& names);

}  // namespace kvgate::config
