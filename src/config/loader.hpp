// From command line, environment and file to the effective configuration. Called at start-up, from one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/catalogue.hpp"
#include "config/config.hpp"
#include "config/expand.hpp"
#include "kvgate/config_error.hpp"

namespace kvgate::config {

/// Where values come from; a later source wins over an earlier one, option by option.
struct Sources {
  std::string file;                          ///< path of the YAML file; empty: none
  EnvLookup env;                             ///< `KVGATE_<PATH>` of every option, and every `${NAME}`
  std::map<std::string, std::string> flags;  ///< by flag, with its dashes
  bool needs_engines = true;                 ///< no engine at all is an error
};

/// default < file < environment < flags. Throws ConfigError. A variable that is empty counts as not set.
Config load(Sources const& sources, Catalogue const& catalogue);

/// The effective configuration as YAML that can be loaded again. Secrets are `***`, wherever they came from.
std::string print_config(Config const& config);

struct CommandLine {
  enum class Action {
    run,
    check,             ///< the configuration is good: print output, exit 0
    print,             ///< print output, exit 0
    version,           ///< print output, exit 0
    help,              ///< print output, exit 0
    health,            ///< ask health_url; exit 0 when it answers 200
    sim,               ///< hand tool_args to the simulated engine
    tokenize,          ///< hand tool_args to the tokenizer
    options_markdown,  ///< print output, exit 0
  };

  Action action = Action::run;
  Config config;                       ///< of run, check and print
  std::string config_file;             ///< as given by --config or --check-config; empty: none
  std::string output;                  ///< what goes to standard output, line break included
  EngineUrl health_url;                ///< of health; its path is in base
  std::vector<std::string> tool_args;  ///< all that follows `sim` or `tokenize`, untouched
};

/// Throws ConfigError for wrong flags and for a wrong configuration; main prints what() and exits with code 2.
CommandLine parse_command_line(int argc, char const* const* argv, EnvLookup const& env, Catalogue const& catalogue);

/// The process's own environment. Not to be called while another thread changes it.
std::optional<std::string> process_environment(std::string const& name);

}  // namespace kvgate::config
