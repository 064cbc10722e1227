#include "config/loader.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "config/option_table.hpp"
#include "config/yaml.hpp"
#include "openai/api.hpp"

namespace kvgate::config {
namespace {

constexpr std::size_t max_file = 4 * 1024 * 1024;

/// One value for one option, from one source.
struct Setting {
  Row<Config> const* row;
  Node node;
  Place place;
};

std::string read_config(std::string const& file) {
  try {
    return read_file(file, max_file);
  } catch (std::runtime_error const& error) {
    fail({file, 1, "--config"}, std::string("cannot be read: ") + error.what(), "a readable file of at most 4 MiB");
  }
}

std::vector<Setting> from_file(std::string const& file) {
  Node const root = parse_yaml(read_config(file), file);
  Table<Config> const& table = option_table();
  Place const place{file, std::max(root.line, 1), ""};
  std::vector<Setting> settings;
  if (root.kind == Node::Kind::scalar || root.kind == Node::Kind::list) {
    fail(place, "is " + std::string(describe(root.kind)), "a map of sections");
  }
  for (Found& found : find_rows(paths_of(table), root, place)) {
    settings.push_back({&table[found.row], std::move(found.node), std::move(found.place)});
  }
  return settings;
}

/// "a, b" as a list of its parts.
Node comma_list(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  Node list = Node::list();
  for (std::size_t start = 0; start <= text.size();) {
    std::size_t const end = std::min(text.find(',', start), text.size());
    std::string_view part = text.substr(start, end - start);
    part.remove_prefix(std::min(part.find_first_not_of(blanks), part.size()));
    part = part.substr(0, part.find_last_not_of(blanks) + 1);
    list.items.push_back(Node::scalar(std::string(part)));
    start = end + 1;
  }
  return list;
}

/// The value of a flag or variable as the file would have it.
Node from_text(Row<Config> const& row, std::string const& text, Place const& place) {
  if (!row.plural) return Node::scalar(text);
  if (!text.starts_with('[') && !text.starts_with('{')) return comma_list(text);
  try {
    Node node = parse_yaml(text, place.file);
    node.line = 0;
    return node;
  } catch (ConfigError const& error) {
    throw ConfigError(place.file, 0, place.key, error.problem);
  }
}

void add_text(std::vector<Setting>& to, Row<Config> const& row, std::string const& text, Place place) {
  Node node = from_text(row, text, place);
  to.push_back({&row, std::move(node), std::move(place)});
}

std::vector<Setting> gather(Sources const& sources) {
  std::vector<Setting> settings;
  if (!sources.file.empty()) settings = from_file(sources.file);
  for (Row<Config> const& row : option_table()) {
    std::string const name = env_name(row.path);
    if (name.empty()) continue;
    auto const value = sources.env(name);
    if (value && !value->empty()) add_text(settings, row, *value, {"environment", 0, name});
  }
  for (Row<Config> const& row : option_table()) {
    auto const flag = sources.flags.find(row.flag);
    if (flag != sources.flags.end()) add_text(settings, row, flag->second, {"command line", 0, row.flag});
  }
  return settings;
}

/// Where the option got its effective value; for one that nobody set, where one would set it.
Place origin(std::string const& path, std::vector<Setting> const& settings, Sources const& sources) {
  auto const last = std::find_if(settings.rbegin(), settings.rend(),
                                 [&](Setting const& setting) { return setting.row->path == path; });
  if (last != settings.rend()) return last->place;
  return sources.file.empty() ? Place{"command line", 0, path} : Place{sources.file, 1, path};
}

std::vector<std::string> proxied_paths(Config const& config) {
  openai::RouteTable const table(config.proxy.extra_paths);
  std::vector<std::string> paths;
  for (auto const& row : table.rows())
    if (row.own == openai::OwnEndpoint::none) paths.push_back(row.path);
  return paths;
}

/// Limits for a path that nothing is proxied on would never apply.
void check_routes(Config const& config, std::vector<Setting> const& settings) {
  auto const paths = proxied_paths(config);
  for (Setting const& setting : settings) {
    if (setting.row->path != "proxy.routes") continue;
    for (Node const& item : setting.node.items) {
      if (std::find(paths.begin(), paths.end(), item.key) != paths.end()) continue;
      std::string const near(nearest(item.key, paths));
      fail(setting.place.member(item), "no such path is proxied" + (near.empty() ? "" : ", did you mean " + near + "?"),
           "the paths of the OpenAI API that are proxied, as metrics name them, and those of proxy.extra_paths");
    }
  }
}

/// What no single option can check.
void check_together(Config const& config, std::vector<Setting> const& settings, Sources const& sources) {
  check_routes(config, settings);
  if (sources.needs_engines && config.engines.empty()) {
    fail(origin("engines", settings, sources), "no engine is configured",
         "--engines URL[,URL], KVGATE_ENGINES, or a list `engines` in the file of --config");
  }
  bool const same_port = config.admin.port && *config.admin.port != 0 && *config.admin.port == config.server.port;
  if (same_port && config.admin.host == config.server.host) {
    fail(origin("admin.port", settings, sources), "is server.port", "another port, or leave it unset");
  }
  if (config.engine_stats.enabled && config.engine_stats.stale <= config.engine_stats.interval) {
    fail(origin("engine_stats.stale", settings, sources), "is not longer than engine_stats.interval", "a longer time");
  }
}

}  // namespace

Config load(Sources const& sources, Catalogue const& catalogue) {
  std::vector<Setting> settings = gather(sources);
  Config config;
  for (Setting& setting : settings) {
    expand(setting.node, setting.place, sources.env);
    read_row(config, *setting.row, setting.node, {setting.place, catalogue});
  }
  check_together(config, settings, sources);
  return config;
}

std::optional<std::string> process_environment(std::string const& name) {
  char const* const value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace kvgate::config
