// One HTTP request as the engine's endpoints see it, and one answer of known size.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvgate::sim {

/// The parts of a request that some endpoint reads.
struct Request {
  std::string method;
  std::string path;     ///< without the query
  std::string segment;  ///< what the `{}` of the route matched
  std::string query;
  std::string body;
  std::string content_type;
  std::string authorization;
  std::string request_id;  ///< X-Request-Id
  std::string fault;       ///< x-sim-fault
  bool close = false;      ///< the connection ends with this exchange
};

struct Reply {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";             ///< empty: no such header
  std::vector<std::pair<std::string, std::string>> headers;  ///< sent before content-length, as uvicorn does
  bool plain = false;                                        ///< made before the CORS layer: without `vary`
};

/// The standard phrase; "Error" for a status that the simulator never sends.
std::string_view reason_phrase(int status) noexcept;

}  // namespace kvgate::sim
