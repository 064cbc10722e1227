#include "config/loader.hpp"
#include "config/option_table.hpp"
#include "config/yaml.hpp"

namespace kvgate::config {
namespace {

/// Values that were expanded once must not be expanded again when the text is loaded.
void escape_all(Node& node) {
  if (node.kind == Node::Kind::scalar) node.text = escape(node.text);
  for (Node& item : node.items) escape_all(item);
}

}  // namespace

std::string print_config(Config const& config) {
  Node root = write_rows(config, option_table());
  escape_all(root);
  return to_yaml(root);
}

}  // namespace kvgate::config
