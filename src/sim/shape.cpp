#include "sim/shape.hpp"

#include <nlohmann/json.hpp>

namespace kvgate::sim {

std::string_view const done_event = "data: [DONE]\n\n";
std::string_view const system_fingerprint = "vllm-0.32.0-kvgate00";

std::string data_event(Json const& data) {
  return "data: " + dump(data) + "\n\n";
}

std::string named_event(std::string_view name, Json const& data) {
  return "event: " + std::string(name) + "\n" + data_event(data);
}

std::string_view finish_reason(Job const& job) noexcept {
  return job.limited ? "length" : "stop";
}

}  // namespace kvgate::sim
