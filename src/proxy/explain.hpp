// POST /explain: what the gate would do with a request now, and why. And the same record of what it did, in the log.
#pragma once

#include <string>
#include <string_view>

#include "http/head.hpp"
#include "kvgate/decision.hpp"
#include "kvgate/error.hpp"
#include "kvgate/route_context.hpp"

namespace kvgate::proxy {

class Worker;

/// What is asked: a request as clients send it. The path that it is meant for stands in the query, `path=/v1/...`;
/// without it, the body is taken for a chat, or for a completion when it has a prompt and no messages.
struct Question {
  http::RequestHead const& head;
  std::string_view path_and_query;
  std::string_view body;
  std::string_view request_id;
};

/// The record of the decision (routing/record.hpp); changes nothing. Errors are those that the request itself would get,
/// and bad_request for paths where nothing is decided.
Result<std::string> explain(Worker& worker, Question const& question);

/// Logs the record of what the worker's selector has just decided, in detail; at level info.
void log_decision(Worker& worker, RouteContext const& context, Decision const& decision, std::string_view request_id);

}  // namespace kvgate::proxy
