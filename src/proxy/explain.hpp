// POST /explain: what the gate would do with a request now, and why. Decides and changes nothing.
#pragma once

#include <string>
#include <string_view>

#include "http/head.hpp"
#include "kvgate/error.hpp"

namespace kvgate::proxy {

class Worker;

/// What is asked: a request as clients send it. The path that it is meant for stands in the query, `path=/v1/...`;
/// without it, the body is taken for a chat, or for a completion when it has a prompt and no messages.
struct Question {
  http::RequestHead const& head;
  std::string_view path_and_query;
  std::string_view body;
};

/// The record of the decision (routing/record.hpp). Errors are those that the request itself would get.
Result<std::string> explain(Worker& worker, Question const& question);

}  // namespace kvgate::proxy
