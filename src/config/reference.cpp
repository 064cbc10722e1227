// The option table as text: variable names and the reference in docs/configuration.md.
#include <algorithm>

#include "config/option_table.hpp"
#include "config/yaml.hpp"

namespace kvgate::config {
namespace {

/// A value for a table cell: `|` would end the cell.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

std::string code(std::string const& text) {
  return text.empty() ? "" : "`" + cell(text) + "`";
}

template <class Owner>
std::string default_of(Row<Owner> const& row) {
  return code(to_flow_yaml(row.write(Owner{})));
}

std::string top_rows() {
  std::string out = "| Key | Flag | Variable | Type | Default | Allowed | Meaning |\n|---|---|---|---|---|---|---|\n";
  for (Row<Config> const& row : option_table()) {
    out += "| " + code(row.path) + " | " + code(row.flag) + " | " + code(env_name(row.path)) + " | " + row.type +
           (row.secret ? " (secret)" : "") + " | " + default_of(row) + " | " + cell(row.allowed) + " | " +
           cell(row.doc) + " |\n";
  }
  return out;
}

template <class Owner>
std::string entry_rows(std::string const& title, Table<Owner> const& table) {
  std::string out = "\n" + title + "\n\n| Key | Type | Default | Allowed | Meaning |\n|---|---|---|---|---|\n";
  for (Row<Owner> const& row : table) {
    out += "| " + code(row.path) + " | " + row.type + (row.secret ? " (secret)" : "") + " | " + default_of(row) +
           " | " + cell(row.allowed) + " | " + cell(row.doc) + " |\n";
  }
  return out;
}

}  // namespace

std::string env_name(std::string_view path) {
  if (path.ends_with(any_key)) return {};
  std::string name = "KVGATE_";
  for (char c : path) {
    bool const lower = c >= 'a' && c <= 'z';
    name += lower ? static_cast<char>(c - 'a' + 'A') : c == '.' || c == '-' ? '_' : c;
  }
  return name;
}

std::string options_markdown() {
  return top_rows() + entry_rows("Each entry of `engines`:", engine_table()) +
         entry_rows("Each entry of `proxy.routes`, under its path:", route_table()) +
         entry_rows("Each model in `models`, under its name:", model_table());
}

}  // namespace kvgate::config
