#include "config/option.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace kvgate::config {
namespace {

/// The names that may stand directly below the prefix ("" or "section.").
std::vector<std::string> names_below(std::vector<std::string> const& paths, std::string const& prefix) {
  std::vector<std::string> names;
  for (std::string const& path : paths) {
    if (!path.starts_with(prefix)) continue;
    std::string name = path.substr(prefix.size(), path.find('.', prefix.size()) - prefix.size());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

/// The path elsewhere whose last name is this one: the key is right, its section is not.
std::string misplaced(std::vector<std::string> const& paths, std::string const& name) {
  auto const found =
      std::find_if(paths.begin(), paths.end(), [&](std::string const& path) { return path.ends_with("." + name); });
  return found == paths.end() ? "" : *found;
}

struct Search {
  std::vector<std::string> const& paths;
  std::vector<Found> found = {};

  void walk(Node const& map, Place const& place, std::string const& prefix) {
    std::vector<std::string> const names = names_below(paths, prefix);
    if (map.kind == Node::Kind::null) return;
    if (map.kind != Node::Kind::map) {
      fail(place, "is " + std::string(describe(map.kind)) + ", not a map", "a map of " + join(names));
    }
    for (Node const& item : map.items) {
      bool const named = std::find(names.begin(), names.end(), item.key) != names.end();
      if (named) {
        take(item, place.member(item), prefix + item.key);
      } else if (auto const any = row_of(prefix + std::string(any_key))) {
        found.push_back({*any, Node::map({item}), place});
      } else {
        unknown(item.key, place.member(item), prefix);
      }
    }
  }

  std::optional<std::size_t> row_of(std::string const& path) const {
    auto const row = std::find(paths.begin(), paths.end(), path);
    return row == paths.end() ? std::nullopt : std::optional(static_cast<std::size_t>(row - paths.begin()));
  }

  void take(Node const& item, Place const& place, std::string const& path) {
    if (auto const row = row_of(path)) {
      found.push_back({*row, item, place});
    } else {
      walk(item, place, path + ".");
    }
  }

  [[noreturn]] void unknown(std::string const& name, Place const& place, std::string const& prefix) const {
    std::vector<std::string> const names = names_below(paths, prefix);
    std::string suggestion(nearest(name, names));
    if (suggestion.empty()) suggestion = misplaced(paths, name);
    if (suggestion.empty()) suggestion = nearest(name, paths);
    fail(place, "unknown key" + (suggestion.empty() ? "" : ", did you mean " + suggestion + "?"), join(names));
  }
};

}  // namespace

std::vector<Found> find_rows(std::vector<std::string> const& paths, Node const& map, Place const& place) {
  Search search{paths};
  search.walk(map, place, "");
  return std::move(search.found);
}

void insert(Node& root, std::string_view path, Node value) {
  Node* at = &root;
  for (std::size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    std::string const name(path.substr(0, dot));
    if (!at->find(name)) at->items.push_back(Node::map().named(name));
    at = &*std::find_if(at->items.begin(), at->items.end(), [&](Node const& item) { return item.key == name; });
    path.remove_prefix(dot + 1);
  }
  if (path == any_key) {
    std::move(value.items.begin(), value.items.end(), std::back_inserter(at->items));
    return;
  }
  at->items.push_back(std::move(value).named(std::string(path)));
}

Node masked(Node const& value) {
  return value.text.empty() ? value : Node::scalar("***");
}

}  // namespace kvgate::config
