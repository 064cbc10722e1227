// The one exception of start-up and configuration. main catches it, prints what() and exits with code 2.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace kvgate {

/// what() is one printable line: `FILE:LINE: key: what is wrong; allowed: ...`.
struct ConfigError : std::exception {
  std::string file;     ///< the file as it was named, or `command line`, or `environment`
  int line = 0;         ///< from 1; 0: the source has no lines, and none is printed
  std::string key;      ///< dotted path, flag or variable
  std::string problem;  ///< what is wrong and what is allowed; never holds a secret

  ConfigError(std::string in_file, int at_line, std::string of_key, std::string what_is_wrong)
      : file(std::move(in_file)), line(at_line), key(std::move(of_key)), problem(std::move(what_is_wrong)) {
    text_ = file + (line > 0 ? ":" + std::to_string(line) : std::string()) + ": " + key + ": " + problem;
    // Keys and values are quoted from the input: a line break in one must not make two lines of the message.
    for (char& c : text_) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
  }

  char const* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace kvgate
