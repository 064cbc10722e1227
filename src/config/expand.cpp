#include "config/expand.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace kvgate::config {
namespace {

constexpr std::size_t max_value_file = 1024 * 1024;
constexpr std::string_view file_prefix = "file:";

std::string reason() {
  return std::generic_category().message(errno);
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
             std::string_view::npos;
}

std::string variable(std::string const& name, Place const& place, EnvLookup const& env) {
  constexpr std::string_view allowed = "${NAME} of a variable that is set, $${ for a literal ${";
  if (!is_variable_name(name)) fail(place, "has a bad variable name in ${...}", allowed);
  auto value = env(name);
  if (!value) fail(place, "needs the environment variable " + name + ", which is not set", allowed);
  return *std::move(value);
}

std::string expand_variables(std::string const& text, Place const& place, EnvLookup const& env) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", done)) {
    if (at > done && text[at - 1] == '$') {
      out.append(text, done, at - 1 - done).append("${");
      done = at + 2;
      continue;
    }
    std::size_t const end = text.find('}', at);
    if (end == std::string::npos) fail(place, "has ${ without }", "${NAME}, $${ for a literal ${");
    out.append(text, done, at - done).append(variable(text.substr(at + 2, end - at - 2), place, env));
    done = end + 1;
  }
  return out.append(text, done);
}

std::string read_value_file(std::string const& path, Place const& place) {
  try {
    // Opening a FIFO would wait for its writer, and a device may never end.
    std::error_code missing;
    if (!std::filesystem::is_regular_file(path, missing)) {
      throw std::runtime_error(missing ? missing.message() : "it is not a regular file");
    }
    std::string text = read_file(path, max_value_file);
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    return text;
  } catch (std::runtime_error const& error) {
    constexpr std::string_view allowed = "file:/path of a readable regular file (or a link to one) of at most 1 MiB";
    fail(place, "cannot read " + path + ": " + error.what(), allowed);
  }
}

std::string expand_text(std::string const& text, Place const& place, EnvLookup const& env) {
  // Decided on the value as it is written: a variable's content must not be able to name a file.
  bool const names_file = text.starts_with("file:/");
  std::string out = expand_variables(text, place, env);
  return names_file ? read_value_file(out.substr(file_prefix.size()), place) : out;
}

}  // namespace

void expand(Node& node, Place const& place, EnvLookup const& env) {
  if (node.kind == Node::Kind::scalar) node.text = expand_text(node.text, place, env);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Node& item = node.items[i];
    expand(item, node.kind == Node::Kind::map ? place.member(item) : place.element(i, item), env);
  }
}

std::string escape(std::string const& text) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", done)) {
    out.append(text, done, at - done).append("$${");
    done = at + 2;
  }
  return out.append(text, done);
}

std::string read_file(std::string const& path, std::size_t max) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) throw std::runtime_error(reason());
  std::string text(max + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) throw std::runtime_error(reason());
  if (text.size() > max) throw std::runtime_error("larger than " + std::to_string(max) + " bytes");
  return text;
}

}  // namespace kvgate::config
