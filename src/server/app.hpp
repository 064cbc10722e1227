// The wiring, once: everything that a running gate consists of, and its life from start to exit.
#pragma once

#include <memory>

#include "config/config.hpp"

namespace kvgate::server {

class App {
 public:
  /// Binds the ports and starts nothing yet. Throws std::exception with a text for the operator.
  explicit App(config::Config config);
  ~App();

  /// Serves until a signal and the drain that follows. Returns the exit code: 0, also when drain.timeout or a
  /// second signal cut something off (the log says so).
  int run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kvgate::server
