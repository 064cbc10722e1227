// The only part of the gate that knows CLI11, and only for flags: values are read by the option table.
#include <CLI/CLI.hpp>

#include "config/loader.hpp"
#include "config/option_table.hpp"
#include "config/url.hpp"
#include "config/yaml.hpp"

namespace kvgate::config {
namespace {

using Action = CommandLine::Action;

constexpr char const* source = "command line";
constexpr char const* config_flag = "--config";
constexpr char const* check_flag = "--check-config";
constexpr char const* print_flag = "--print-config";
constexpr char const* see_help = "what `kvgate --help` lists";

std::string names(std::span<std::string_view const> list) {
  std::vector<std::string> out(list.begin(), list.end());
  return join(out);
}

std::string footer(Catalogue const& catalogue) {
  return "Policies: " + names(catalogue.policies) + "\nFilters: " + names(catalogue.filters) +
         "\nEvery option is also a key of the file and a variable KVGATE_<KEY>, as KVGATE_SERVER_PORT for server.port;"
         "\n--print-config shows them all. A flag wins over a variable, a variable over the file."
         "\nAny value may be ${NAME} (a variable) or file:/path (a file's content).";
}

/// The flags as CLI11 sees them, and what it found.
class Parser {
 public:
  explicit Parser(Catalogue const& catalogue) : app_("Routes OpenAI-style requests to a fleet of engines.", "kvgate") {
    app_.set_help_flag();
    app_.allow_extras();
    app_.footer(footer(catalogue));
    add_actions();
    for (Row<Config> const& row : option_table()) {
      if (!row.flag.empty()) add_option(row);
    }
  }

  void parse(int argc, char const* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (CLI::ParseError const& error) {
      refuse_parse(error.what());
    }
    refuse_extras();
    for (CLI::App const* tool : {sim_, tokenize_}) {
      if (!tool->parsed()) continue;
      std::string const& name = tool->get_name();
      fail({source, 0, name}, "is not the first argument", "kvgate " + name + " [OPTIONS]");
    }
    if (given(check_flag) && (given(config_flag) || given(print_flag))) {
      fail({source, 0, check_flag}, "stands alone, without --config and --print-config", "--check-config FILE");
    }
    for (char const* flag : {config_flag, check_flag}) {
      if (given(flag) && config_file().empty()) fail({source, 0, flag}, "is empty", "the path of a YAML file");
    }
  }

  Action action() const {
    if (help_) return Action::help;
    if (version_) return Action::version;
    if (markdown_) return Action::options_markdown;
    if (health_->parsed()) return Action::health;
    if (given(check_flag)) return Action::check;
    return print_ ? Action::print : Action::run;
  }

  std::string help() const { return app_.help(); }

  std::string const& config_file() const { return given(check_flag) ? check_file_ : file_; }

  std::string const& health_url() const { return health_url_; }

  std::map<std::string, std::string> flags() const {
    std::map<std::string, std::string> found;
    for (auto const& [flag, value] : values_) {
      if (given(flag)) found[flag] = value;
    }
    return found;
  }

 private:
  bool given(std::string const& flag) const { return app_.count(flag) > 0; }

  void add_actions() {
    app_.add_option(config_flag, file_, "The YAML file.")->type_name("FILE");
    app_.add_option(check_flag, check_file_, "Check that file and exit.")->type_name("FILE");
    app_.add_flag(print_flag, print_, "Print the effective configuration and exit.");
    app_.add_flag("--version", version_, "Print the version and exit.");
    app_.add_flag("-h,--help", help_, "Print this and exit.");
    app_.add_flag("--print-options-markdown", markdown_)->group("");
    health_ = app_.add_subcommand("health", "Ask a running gate whether it is well (exit code 0)");
    health_->set_help_flag();
    health_->fallthrough();
    health_->add_option("url", health_url_, "Default: the configured port on this machine")->type_name("URL");
    sim_ = app_.add_subcommand("sim", "Be a simulated engine (see kvgate sim --help)");
    sim_->set_help_flag();
    tokenize_ = app_.add_subcommand("tokenize", "Turn texts into token ids (see kvgate tokenize --help)");
    tokenize_->set_help_flag();
  }

  void add_option(Row<Config> const& row) {
    std::string& value = values_[row.flag];
    if (row.value.empty()) {
      app_.add_flag(row.flag, value, row.doc);
    } else {
      Node const normal = row.write(Config{});
      bool const has_default = normal.kind == Node::Kind::scalar || !normal.items.empty();
      std::string const note = has_default ? " Default: " + to_flow_yaml(normal) + "." : "";
      app_.add_option(row.flag, value, row.doc + note)->type_name(row.value);
    }
  }

  /// CLI11 says `--flag: what is wrong`, or `--flag ...`.
  [[noreturn]] static void refuse_parse(std::string const& message) {
    std::size_t const end = std::min(message.find_first_of(": "), message.size());
    bool const named = message.starts_with("--");
    std::string const text =
        named ? message.substr(std::min(message.find_first_not_of(": ", end), message.size())) : message;
    fail({source, 0, named ? message.substr(0, end) : "arguments"}, text, see_help);
  }

  void refuse_extras() const {
    auto const extras = app_.remaining(true);
    if (extras.empty()) return;
    std::string const name = extras[0].substr(0, extras[0].find('='));
    if (!name.starts_with('-')) fail({source, 0, name}, "unexpected argument", see_help);
    std::vector<std::string> known;
    for (CLI::Option const* option : app_.get_options()) {
      if (!option->get_group().empty()) known.push_back("--" + option->get_single_name());
    }
    std::string const near(nearest(name, known));
    fail({source, 0, name}, "unknown flag" + (near.empty() ? "" : ", did you mean " + near + "?"), join(known));
  }

  CLI::App app_;
  CLI::App* health_ = nullptr;
  CLI::App* sim_ = nullptr;
  CLI::App* tokenize_ = nullptr;
  std::string file_, check_file_, health_url_;
  bool print_ = false, version_ = false, help_ = false, markdown_ = false;
  std::map<std::string, std::string> values_;
};

EngineUrl parse_health_url(std::string const& text) {
  auto url = parse_engine_url(text);
  if (!url) fail({source, 0, "health"}, "the URL " + url.error().message, "http(s)://HOST[:PORT][/PATH]");
  if (url->base.empty()) return *parse_engine_url(url->text + "/health");
  return *url;
}

/// Where a gate with this configuration, on this machine, answers for its health.
EngineUrl own_health_url(Config const& config) {
  std::uint16_t const port = config.admin.port.value_or(config.server.port);
  std::string host = config.admin.port ? config.admin.host : config.server.host;
  if (port == 0) fail({source, 0, "health"}, "the configured port is 0, any free one", "kvgate health URL");
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return parse_health_url("http://" + host + ":" + std::to_string(port));
}

// Results are filled member by member: gcc 12 destroys members that were never made when one initializer of a returned
// aggregate throws.

CommandLine loaded(Action action, Sources const& sources, Catalogue const& catalogue) {
  CommandLine line;
  line.action = action;
  line.config = load(sources, catalogue);
  line.config_file = sources.file;
  if (action == Action::health) line.health_url = own_health_url(line.config);
  if (action == Action::print) line.output = print_config(line.config);
  if (action == Action::check) line.output = sources.file + ": ok\n";
  return line;
}

CommandLine printing(Action action, std::string output) {
  CommandLine line;
  line.action = action;
  line.output = std::move(output);
  return line;
}

CommandLine health_of(std::string const& url) {
  CommandLine line;
  line.action = Action::health;
  line.health_url = parse_health_url(url);
  return line;
}

/// A command that reads its own arguments.
CommandLine tool(Action action, std::vector<std::string> arguments) {
  CommandLine line;
  line.action = action;
  line.tool_args = std::move(arguments);
  return line;
}

}  // namespace

CommandLine parse_command_line(int argc, char const* const* argv, EnvLookup const& env, Catalogue const& catalogue) {
  std::string_view const first = argc > 1 ? argv[1] : "";
  if (first == "sim") return tool(Action::sim, {argv + 2, argv + argc});
  if (first == "tokenize") return tool(Action::tokenize, {argv + 2, argv + argc});
  Parser parser(catalogue);
  parser.parse(argc, argv);
  Action const action = parser.action();
  if (action == Action::help) return printing(action, parser.help());
  if (action == Action::version) return printing(action, "kvgate " KVGATE_VERSION "\n");
  if (action == Action::options_markdown) return printing(action, options_markdown());
  if (action == Action::health && !parser.health_url().empty()) return health_of(parser.health_url());
  Sources sources;
  sources.file = parser.config_file();
  sources.env = env;
  sources.flags = parser.flags();
  sources.needs_engines = action == Action::run || action == Action::check;
  return loaded(action, sources, catalogue);
}

}  // namespace kvgate::config
