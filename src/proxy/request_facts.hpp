// What is known of one request before an engine is chosen: read from its body, resolved against the fleet.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/head.hpp"
#include "kvgate/error.hpp"
#include "openai/api.hpp"
#include "openai/request_view.hpp"

namespace kvgate::fleet {
class Endpoint;
struct EndpointSet;
struct ModelEntry;
}

namespace kvgate::proxy {

class Worker;

/// The body of one request as routing sees it. `decoded` holds an unpacked copy when the body is compressed.
struct RequestBody {
  openai::RequestView view;
  bool packed = false;          ///< compressed
  bool names_nothing = false;   ///< no body, or none that can be read: any engine will do
  std::string decoded;
};

/// What can be said of the body without reading it; unpacks it where it is compressed.
Result<RequestBody> open_request(Worker& worker, openai::RouteRow const& row, http::RequestHead const& head,
                                 std::string_view body);

/// Reads the body, JSON or form, into opened.view. A path without a known body shape (ApiKind::other) may carry
/// anything: what cannot be read names no model. out_of_memory: limits.memory has no room for the parser now.
std::optional<Error> read_request(Worker& worker, http::RequestHead const& head, std::string_view body,
                                  RequestBody& opened);

/// The model that the request is for. Null without an error: the path needs none.
Result<fleet::ModelEntry const*> resolve_model(Worker& worker, fleet::EndpointSet const& fleet,
                                               openai::RouteRow const& row, RequestBody const& body);

/// The engine that made the response which this request continues; null: it continues none, or nobody knows.
std::shared_ptr<fleet::Endpoint> maker_of(Worker& worker, openai::RequestView const& view);

/// Every engine but `one`.
std::vector<fleet::Endpoint const*> all_but(fleet::Endpoint const& one, fleet::EndpointSet const& fleet);

/// A refusal that can be told before the body is read: Content-Encoding that the gate does not take.
std::optional<Error> check_encoding(Worker& worker, http::RequestHead const& head);

}  // namespace kvgate::proxy
