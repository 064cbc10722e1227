// What the log is told of something that is tried again and again.
#pragma once

#include <string>
#include <string_view>

namespace kvgate::watch {

/// Tells changes only. Not thread-safe.
class Report {
 public:
  /// "<what> of <url> cannot be read: ...".
  Report(std::string_view what, std::string_view url) : subject_(std::string(what) + " of " + std::string(url)) {}

  /// `problem`: "<code>: <detail>", of which the detail may differ from try to try; empty: it went well.
  void outcome(std::string_view problem);

 private:
  std::string subject_;
  std::string code_;  // of the last problem
};

}  // namespace kvgate::watch
