// The log of a test, to look at afterwards.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/log.hpp"

namespace kvgate::watch {

/// What has been logged, one string a line.
class LogFile {
 public:
  LogFile() {
    std::string pattern = std::filesystem::temp_directory_path() / "kvgate-log-XXXXXX";
    ::close(mkstemp(pattern.data()));
    path_ = pattern;
    log::init({.level = log::Level::info, .file = path_});
  }
  ~LogFile() { std::filesystem::remove(path_); }

  std::vector<std::string> finish() {
    log::flush_and_stop();
    std::vector<std::string> lines;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

 private:
  std::string path_;
};

}  // namespace kvgate::watch
