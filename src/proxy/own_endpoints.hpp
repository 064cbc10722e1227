// The seam to the gate's own endpoints: proxy/ relays, admin/ knows what to say.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "openai/api.hpp"

namespace kvgate::proxy {

struct OwnRequest {
  openai::OwnEndpoint endpoint = openai::OwnEndpoint::none;
  std::string segment;        ///< what the wildcard of the path matched
  bool trusted = false;       ///< loopback peer, admin port, or the admin key: may see configuration
};

struct OwnAnswer {
  int status = 200;
  std::string_view content_type = "application/json";
  std::string body;
};

/// Thread-safe; called on worker threads.
class OwnEndpoints {
 public:
  virtual ~OwnEndpoints() = default;
  /// Answers at once.
  virtual OwnAnswer answer(OwnRequest const& request) = 0;
  /// For answers that take long to make (/metrics of a large fleet): made on another thread, `done` is called there.
  virtual void answer_elsewhere(OwnRequest request, std::function<void(OwnAnswer)> done) = 0;
};

}  // namespace kvgate::proxy
