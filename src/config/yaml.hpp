// YAML in and out. The only part of the gate that knows yaml-cpp.
#pragma once

#include <string>

#include "config/node.hpp"

namespace kvgate::config {

/// Reads one document; an empty one is a null node. Throws ConfigError naming `file` for what is not YAML and for what
/// the gate does not take: duplicate keys, keys that are not text, tags, several documents, and anchors that unfold to
/// more than 16 MiB or 32 levels.
Node parse_yaml(std::string const& text, std::string const& file);

/// The node as a YAML document, ending in a line break. Reading it again gives the same node.
std::string to_yaml(Node const& node);

/// The same on one line, without the line break.
std::string to_flow_yaml(Node const& node);

}  // namespace kvgate::config
