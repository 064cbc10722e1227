// The answers that vLLM gives to what it does not accept, in its recorded shapes.
#pragma once

#include <string>
#include <string_view>

#include "sim/json.hpp"
#include "sim/message.hpp"

namespace kvgate::sim {

Reply json_reply(Json const& body, int status = 200);

/// {"error":{message,type,param,code}}; an empty `param` is null.
Reply error_reply(int status, std::string_view type, std::string_view message, std::string_view param = {});

/// {"type":"error","error":{type,message}} of /v1/messages.
Reply anthropic_error(int status, std::string_view type, std::string_view message);

/// FastAPI's {"detail":...}: unknown path or method.
Reply detail_reply(int status, std::string_view detail);

/// 401 {"error":"Unauthorized"}.
Reply unauthorized();

/// 400 for a body that fails validation; `loc` is where, as in `body.messages`.
Reply missing_field(Json const& body, std::string_view field);
Reply wrong_type(std::string_view type, std::string_view loc, std::string_view message, std::string_view input);

/// 503 of an engine whose queue is full.
Reply overloaded();

}  // namespace kvgate::sim
