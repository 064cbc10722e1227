// THE option table. YAML, environment, command line, --help, --print-config, GET /config and docs/configuration.md are
// all made from it, so an option is declared here and nowhere else.
#pragma once

#include <string>

#include "config/config.hpp"
#include "config/option.hpp"

namespace kvgate::config {

/// One entry of `models`; its parts are kept where they are used.
struct ModelItem {
  routing::ModelChain routing;
  tokens::ModelOptions text;
};

/// All options, in the order of printing. Built once; safe to read from any thread.
Table<Config> const& option_table();

/// The keys of one entry of `engines`, of one of `proxy.routes` and of one model in `models`.
Table<EngineSpec> const& engine_table();
Table<RouteTimeouts> const& route_table();
Table<ModelItem> const& model_table();

/// `server.port` -> `KVGATE_SERVER_PORT`; empty: only the file can hold it.
std::string env_name(std::string_view path);

/// The tables as Markdown: what docs/configuration.md holds between its markers.
std::string options_markdown();

}  // namespace kvgate::config
