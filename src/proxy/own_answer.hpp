// Complete answers that the gate makes itself: head and body in one piece.
#pragma once

#include <string>
#include <string_view>

#include "kvgate/error.hpp"
#include "openai/api.hpp"

namespace kvgate::proxy {

struct OwnReply {
  openai::ErrorShape shape = openai::ErrorShape::openai;
  std::string_view request_id;
  std::string_view cors_origin;
  bool close = false;
  bool keep_alive_said = false;   ///< HTTP/1.0: the connection stays only when the answer says so
  bool no_body = false;      ///< answer to HEAD: the head says what a GET would get
};

/// Status, Retry-After, x-should-retry and Allow follow from the error.
std::string error_reply(Error const& error, OwnReply const& reply);

std::string plain_reply(int status, std::string_view content_type, std::string_view body, OwnReply const& reply);

}  // namespace kvgate::proxy
