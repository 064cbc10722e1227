// The shape of the option table: rows that tie a dotted path to a member, and what walks them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/codec.hpp"
#include "config/node.hpp"

namespace kvgate::config {

/// One option of an Owner (the whole configuration, or one entry of a list in it).
template <class Owner>
struct Row {
  std::string path;        ///< dotted
  std::string type;        ///< of the codec
  std::string allowed;     ///< of the codec
  std::string doc;         ///< one line
  std::string flag = {};   ///< with its dashes; empty: no flag
  std::string value = {};  ///< what --help calls the flag's value; empty: the flag alone means `true`
  bool secret = false;     ///< masked when printed, never quoted in messages
  bool plural = false;     ///< in a flag or variable: a comma list, or YAML in brackets
  std::function<void(Owner&, Node const&, Reading const&)> read;
  std::function<Node(Owner const&)> write;

  Row with_flag(std::string name, std::string value_name = {}) && {
    flag = std::move(name);
    value = std::move(value_name);
    return std::move(*this);
  }
  Row as_secret() && {
    secret = true;
    return std::move(*this);
  }
  Row as_plural() && {
    plural = true;
    return std::move(*this);
  }
};

template <class Owner>
using Table = std::vector<Row<Owner>>;

/// The member at the end of a chain of member pointers.
template <class Object, class Member, class... More>
auto& reach(Object& object, Member member, More... more) {
  if constexpr (sizeof...(More) == 0) {
    return object.*member;
  } else {
    return reach(object.*member, more...);
  }
}

/// Reaches the same member in a const and in a mutable owner.
template <class... Members>
auto at(Members... members) {
  return [=](auto& owner) -> auto& { return reach(owner, members...); };
}

template <class Owner, class Access, class T>
Row<Owner> make_row(std::string path, Access access, Codec<T> codec, std::string doc) {
  Row<Owner> row{.path = std::move(path), .type = codec.type, .allowed = codec.allowed, .doc = std::move(doc)};
  row.read = [access, read = codec.read](Owner& owner, Node const& node, Reading const& reading) {
    access(owner) = read(node, reading);
  };
  row.write = [access, write = codec.write](Owner const& owner) { return write(access(owner)); };
  return row;
}

/// A part of a map that belongs to a row, by the row's index.
struct Found {
  std::size_t row = 0;
  Node node;
  Place place;
};

/// The name in a path that stands for any key: `models.*` takes the keys of `models` that have no row of their own, as
/// maps of one or more of them. It has no variable.
inline constexpr std::string_view any_key = "*";

/// Assigns every key of the map (with its sections) to one of the paths. Throws ConfigError for a key that is none of
/// them, suggesting the nearest, and for a section that is no map. A null map or section is an empty one.
std::vector<Found> find_rows(std::vector<std::string> const& paths, Node const& map, Place const& place);

template <class Owner>
std::vector<std::string> paths_of(Table<Owner> const& table) {
  std::vector<std::string> paths;
  for (Row<Owner> const& row : table) paths.push_back(row.path);
  return paths;
}

template <class Owner>
void read_row(Owner& owner, Row<Owner> const& row, Node const& node, Reading reading) {
  reading.secret = row.secret;
  row.read(owner, node, reading);
}

template <class Owner>
void read_rows(Owner& owner, Table<Owner> const& table, Node const& map, Reading const& reading) {
  for (Found const& found : find_rows(paths_of(table), map, reading.place)) {
    read_row(owner, table[found.row], found.node, reading.at(found.place));
  }
}

/// Puts the value at its dotted path into a tree of maps; at a path that ends in any_key, its items.
void insert(Node& root, std::string_view path, Node value);

/// What a secret is printed as. An empty one stays empty, so that one sees that none is set.
Node masked(Node const& value);

template <class Owner>
Node write_rows(Owner const& owner, Table<Owner> const& table) {
  Node root = Node::map();
  for (Row<Owner> const& row : table) {
    Node value = row.write(owner);
    insert(root, row.path, row.secret ? masked(value) : std::move(value));
  }
  return root;
}

}  // namespace kvgate::config
