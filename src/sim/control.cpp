// The simulator's own endpoints, under /sim.
#include <nlohmann/json.hpp>

#include "sim/handlers.hpp"
#include "sim/job.hpp"
#include "sim/replies.hpp"

namespace kvgate::sim {
namespace {

/// The JSON form of a fault as the text that parse_fault() reads: {"kind":"stall","after":3} is "stall;after=3".
std::string fault_text(Json const& body) {
  auto text = string_or(body, "kind");
  if (auto const status = number(body, "kind")) text = std::to_string(*status);
  for (auto const& [key, value] : body.items()) {
    if (key != "kind") text += ";" + key + "=" + dump(value);
  }
  return text;
}

}  // namespace

Reply sim_stats(EngineState& engine, Request const&) {
  auto const stats = engine.snapshot();
  return json_reply({{"requests", stats.requests},
                     {"running", stats.running},
                     {"waiting", stats.waiting},
                     {"aborted", stats.aborted},
                     {"finished", stats.finished},
                     {"faults", stats.faults},
                     {"connections", stats.connections},
                     {"accepted", stats.accepted},
                     {"paths", stats.paths}});
}

Reply sim_fault(EngineState& engine, Request const& request) {
  auto const body = parse_body(request);
  if (!body) return body.error();
  auto const fault = parse_fault(fault_text(*body));
  if (!fault) return error_reply(400, "BadRequestError", fault.error().message, "kind");
  engine.apply(*fault);
  return json_reply({{"status", "ok"}});
}

Reply sim_reset(EngineState& engine, Request const&) {
  engine.reset();
  return json_reply({{"status", "ok"}});
}

}  // namespace kvgate::sim
