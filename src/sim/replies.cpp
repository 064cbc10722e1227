#include "sim/replies.hpp"

#include <nlohmann/json.hpp>

namespace kvgate::sim {
namespace {

Reply invalid(std::string_view details, std::string_view loc) {
  return error_reply(400, "Bad Request", "1 validation error:\n  " + std::string(details), loc);
}

}  // namespace

Reply json_reply(Json const& body, int status) {
  Reply reply;
  reply.status = status;
  reply.body = dump(body);
  return reply;
}

Reply error_reply(int status, std::string_view type, std::string_view message, std::string_view param) {
  Json error = {{"message", message}, {"type", type}, {"param", nullptr}, {"code", status}};
  if (!param.empty()) error["param"] = param;
  return json_reply({{"error", std::move(error)}}, status);
}

Reply anthropic_error(int status, std::string_view type, std::string_view message) {
  return json_reply({{"type", "error"}, {"error", {{"type", type}, {"message", message}}}}, status);
}

Reply detail_reply(int status, std::string_view detail) {
  return json_reply({{"detail", detail}}, status);
}

Reply unauthorized() {
  auto reply = json_reply({{"error", "Unauthorized"}}, 401);
  reply.plain = true;
  return reply;
}

Reply missing_field(Json const& body, std::string_view field) {
  auto const loc = "body." + std::string(field);
  return invalid("{'type': 'missing', 'loc': '" + loc + "', 'msg': 'Field required', 'input': '<dict of " +
                     std::to_string(body.size()) + " items>'}",
                 loc);
}

Reply wrong_type(std::string_view type, std::string_view loc, std::string_view message, std::string_view input) {
  std::string details = "{'type': '";
  details.append(type).append("', 'loc': '").append(loc).append("', 'msg': '").append(message);
  details.append("', 'input': '").append(input).append("'}");
  return invalid(details, loc);
}

Reply overloaded() {
  return error_reply(503, "Service Unavailable",
                     "The engine is currently busy and cannot accept new requests. Please try again later or on a "
                     "different instance.");
}

}  // namespace kvgate::sim
