#include "proxy/request_facts.hpp"

#include "base/ascii.hpp"
#include "fleet/endpoint_set.hpp"
#include "openai/content_decode.hpp"
#include "proxy/worker.hpp"

namespace kvgate::proxy {
namespace {

std::string_view encoding_of(http::RequestHead const& head) {
  auto const encoding = head.fields.find("content-encoding").value_or("");
  return iequals(encoding, "identity") ? std::string_view() : encoding;
}

bool is_form(http::RequestHead const& head) {
  constexpr std::string_view kForm = "multipart/form-data";
  auto const type = head.fields.find("content-type").value_or("");
  return iequals(type.substr(0, kForm.size()), kForm);
}

Error unknown_model(std::string_view id) {
  return Error(ErrorKind::model_not_found, "The model `" + std::string(id) + "` does not exist. GET /v1/models lists those that do.",
               "model");
}

Error joining() {
  return Error(ErrorKind::no_engine, "An engine has not told its models yet. Please try again.");
}

}  // namespace

std::optional<Error> check_encoding(Worker& worker, http::RequestHead const& head) {
  if (worker.shared.config.http.decode_requests || encoding_of(head).empty()) return std::nullopt;
  return Error(ErrorKind::unsupported_media,
               "compressed request bodies are not accepted here (http.decode_requests is off)");
}

Result<RequestBody> open_request(Worker& worker, openai::RouteRow const& row, http::RequestHead const& head,
                                 std::string_view body) {
  RequestBody read;
  read.view.api = row.api;
  bool const may_be_empty = row.api == openai::ApiKind::other || head.method == "HEAD" || head.method == "GET";
  read.names_nothing = row.by_response_id || (body.empty() && may_be_empty);
  if (read.names_nothing) return read;
  auto const encoding = encoding_of(head);
  if (encoding.empty()) return read;
  auto decoded = openai::decode_body(encoding, body, worker.shared.config.http.max_body);
  if (!decoded) return decoded.error();
  read.packed = true;
  read.decoded = std::move(*decoded);
  return read;
}

std::optional<Error> read_request(Worker& worker, http::RequestHead const& head, std::string_view body,
                                  RequestBody& opened) {
  if (opened.names_nothing) return std::nullopt;
  auto const api = opened.view.api;
  if (opened.packed) body = opened.decoded;
  bool const form = is_form(head);
  auto const needed = form ? 0 : openai::RequestParser::scratch_for(body.size());
  if (needed + body.size() > worker.shared.memory.limit())
    return Error(ErrorKind::body_too_large, "reading this body takes more than limits.memory");
  MemoryShare scratch(worker.shared.memory);
  if (!scratch.grow_to(needed))
    return Error(ErrorKind::out_of_memory, "limits.memory is used up by requests in progress");
  auto view = form ? worker.parser.parse_multipart(api, head.fields.find("content-type").value_or(""), body)
                   : worker.parser.parse_json(api, body, worker.shared.keys.json_fields());
  if (view) {
    opened.view = *view;
  } else if (api != openai::ApiKind::other) {
    return view.error();
  } else {
    opened.names_nothing = true;
  }
  return std::nullopt;
}

std::shared_ptr<fleet::Endpoint> maker_of(Worker& worker, openai::RequestView const& view) {
  if (view.api != openai::ApiKind::responses || view.previous_response.empty()) return nullptr;
  return worker.shared.responses.find(view.previous_response);
}

std::vector<fleet::Endpoint const*> all_but(fleet::Endpoint const& one, fleet::EndpointSet const& fleet) {
  std::vector<fleet::Endpoint const*> others;
  for (auto const& member : fleet.members)
    if (member.endpoint.get() != &one) others.push_back(member.endpoint.get());
  return others;
}

Result<fleet::ModelEntry const*> resolve_model(Worker& worker, fleet::EndpointSet const& fleet,
                                               openai::RouteRow const& row, RequestBody const& body) {
  auto const& view = body.view;
  if (row.by_response_id) return nullptr;   // whoever made the response, whatever it serves now
  if (view.model) {
    if (auto const* entry = fleet.find_model(*view.model)) return entry;
    return fleet.joining() ? joining() : unknown_model(*view.model);
  }
  if (auto const* entry = fleet.only_base_model()) return entry;
  if (auto const* entry = fleet.find_model(worker.shared.config.routing.default_model)) return entry;
  if (body.names_nothing) return nullptr;
  if (fleet.joining()) return joining();
  return Error(ErrorKind::bad_request, "The request names no model, and more than one is served here.", "model");
}

}  // namespace kvgate::proxy
