#include "watch/report.hpp"

#include "base/log.hpp"

namespace kvgate::watch {

void Report::outcome(std::string_view problem) {
  auto const code = problem.substr(0, problem.find(':'));
  if (code == code_) return;
  code_ = code;
  if (problem.empty()) {
    log::info("{} can be read again", subject_);
  } else {
    log::warn("{} cannot be read: {}", subject_, problem);
  }
}

}  // namespace kvgate::watch
