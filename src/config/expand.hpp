// Values that come from elsewhere: `${ENV}` inside a value, `file:/path` for a whole one.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "config/node.hpp"

namespace kvgate::config {

/// The value of an environment variable, or nullopt when it is not set.
using EnvLookup = std::function<std::optional<std::string>(std::string const& name)>;

/// Replaces every scalar of the tree in place. `$${` stands for a literal `${`. What a variable or a file holds is not
/// looked at again. Throws ConfigError, naming the place, for unset variables and unreadable files.
void expand(Node& node, Place const& place, EnvLookup const& env);

/// Undoes what expand() would do to a literal `${`.
std::string escape(std::string const& text);

/// The content of a file of at most `max` bytes. Throws std::runtime_error whose text is the system's reason.
std::string read_file(std::string const& path, std::size_t max);

}  // namespace kvgate::config
