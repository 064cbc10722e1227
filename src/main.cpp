// kvgate: parses the command line and becomes the gate, a simulated engine, or one of the small commands.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "base/log.hpp"
#include "config/loader.hpp"
#include "http/tls_context.hpp"
#include "routing/catalogue.hpp"
#include "server/app.hpp"
#include "server/health_command.hpp"
#include "sim/main.hpp"
#include "text/tokenize/main.hpp"

namespace {

using kvgate::config::CommandLine;

kvgate::log::LogOptions log_options(kvgate::config::Log const& config) {
  kvgate::log::LogOptions options;
  options.format = config.format == "json" ? kvgate::log::Format::json : kvgate::log::Format::text;
  options.file = config.file;
  using kvgate::log::Level;
  options.level = config.level == "debug"  ? Level::debug
                  : config.level == "warn" ? Level::warn
                  : config.level == "error" ? Level::error
                                            : Level::info;
  return options;
}

/// What only a try can tell: that the certificates of engine.tls.ca_file can be used.
void check_files(kvgate::config::Config const& config, std::string const& file) {
  try {
    kvgate::http::TlsContext const context(config.engine.ca_file, config.engine.insecure_skip_verify);
  } catch (std::runtime_error const& e) {
    throw kvgate::ConfigError(file.empty() ? "command line" : file, file.empty() ? 0 : 1, "engine.tls.ca_file", e.what());
  }
}

void start_log(kvgate::config::Config const& config, std::string const& file) {
  try {
    kvgate::log::init(log_options(config.log));
  } catch (std::system_error const& e) {
    throw kvgate::ConfigError(file.empty() ? "command line" : file, file.empty() ? 0 : 1, "log.file", e.what());
  }
}

int run_gate(kvgate::config::Config config, std::string const& config_file) {
  start_log(config, config_file);
  kvgate::log::info("kvgate {} starting, {} engines", KVGATE_VERSION, config.engines.size());
  int code = 1;
  try {
    kvgate::server::App app(std::move(config));
    code = app.run();
  } catch (std::exception const& e) {
    kvgate::log::flush_and_stop();
    std::fprintf(stderr, "kvgate: %s\n", e.what());
    return 1;
  }
  kvgate::log::flush_and_stop();
  return code;
}

int run_sim(std::vector<std::string> const& args) {
  std::vector<char const*> argv{"kvgate sim"};
  for (auto const& arg : args) argv.push_back(arg.c_str());
  return kvgate::sim::sim_main(static_cast<int>(argv.size()), argv.data());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    kvgate::config::Catalogue const catalogue{kvgate::routing::policy_names(), kvgate::routing::filter_names()};
    auto command = kvgate::config::parse_command_line(argc, argv, kvgate::config::process_environment, catalogue);
    switch (command.action) {
      case CommandLine::Action::run:
        check_files(command.config, command.config_file);
        return run_gate(std::move(command.config), command.config_file);
      case CommandLine::Action::tokenize: return kvgate::text::tokenize_main(command.tool_args);
      case CommandLine::Action::sim: return run_sim(command.tool_args);
      case CommandLine::Action::check:
        check_files(command.config, command.config_file);
        std::fputs(command.output.c_str(), stdout);
        return 0;
      case CommandLine::Action::health: return kvgate::server::health_command(command.health_url);
      default: std::fputs(command.output.c_str(), stdout); return 0;
    }
  } catch (kvgate::ConfigError const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "kvgate: %s\n", e.what());
    return 1;
  }
}
