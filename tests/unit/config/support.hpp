// Shared by the configuration tests: an environment, a catalogue and files that end with the test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "config/loader.hpp"

namespace kvgate::config::testing {

inline constexpr std::array<std::string_view, 5> policies{"round_robin", "least_loaded", "random", "session",
                                                          "prefix_affinity"};
inline constexpr std::array<std::string_view, 5> filters{"model", "healthy", "not_sleeping", "capacity",
                                                         "overload"};
inline constexpr Catalogue catalogue{policies, filters};

using Variables = std::map<std::string, std::string>;

inline EnvLookup environment(Variables variables = {}) {
  return [variables = std::move(variables)](std::string const& name) -> std::optional<std::string> {
    auto const found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

/// A file in the test's own directory; removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string const& content, std::string const& name = "gate.yaml")
      : directory_(std::filesystem::path(::testing::TempDir()) /
                   ("kvgate-" + std::to_string(getpid()) + "-" + std::to_string(next_++))) {
    std::filesystem::create_directories(directory_);
    path_ = (directory_ / name).string();
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;
  ~TemporaryFile() { std::filesystem::remove_all(directory_); }

  std::string const& path() const { return path_; }

 private:
  inline static int next_ = 0;
  std::filesystem::path directory_;
  std::string path_;
};

inline std::string content_of(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The text as a configuration that needs no engines.
inline Config load_text(std::string const& text, Variables const& variables = {}) {
  TemporaryFile const file(text);
  return load({file.path(), environment(variables), {}, false}, catalogue);
}

/// What loading the text complains about, with FILE for the file's path; "" when it is good.
inline std::string complaint(std::string const& text, Variables const& variables = {}) {
  TemporaryFile const file(text);
  try {
    load({file.path(), environment(variables), {}, false}, catalogue);
    return "";
  } catch (ConfigError const& error) {
    std::string line = error.what();
    if (line.starts_with(file.path())) line.replace(0, file.path().size(), "FILE");
    return line;
  }
}

inline CommandLine parse(std::vector<char const*> arguments, Variables const& variables = {}) {
  arguments.insert(arguments.begin(), "kvgate");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), environment(variables), catalogue);
}

/// What the command line is refused for; "" when it is good.
inline std::string refusal(std::vector<char const*> arguments, Variables const& variables = {}) {
  try {
    parse(std::move(arguments), variables);
    return "";
  } catch (ConfigError const& error) {
    return error.what();
  }
}

}  // namespace kvgate::config::testing
