#include "proxy/own_answer.hpp"

#include "openai/error_body.hpp"
#include "proxy/heads.hpp"

namespace kvgate::proxy {
namespace {

OwnHead head_for(int status, std::string_view content_type, std::string_view body, OwnReply const& reply) {
  OwnHead head;
  head.status = status;
  head.content_type = content_type;
  head.content_length = body.size();
  head.request_id = reply.request_id;
  head.cors_origin = reply.cors_origin;
  head.close = reply.close;
  head.say_keep_alive = reply.keep_alive_said;
  return head;
}

std::string joined(OwnHead const& head, std::string_view body, bool no_body) {
  std::string text;
  text.reserve(512 + body.size());
  write_own_head(head, text);
  if (!no_body) text.append(body);
  return text;
}

}  // namespace

std::string error_reply(Error const& error, OwnReply const& reply) {
  auto const body = openai::error_body(error, reply.shape);
  auto head = head_for(http_status(error.kind), "application/json", body, reply);
  head.retry_after = openai::retry_after_seconds(error.kind);
  head.no_retry = openai::retry_cannot_help(error.kind);
  if (error.kind == ErrorKind::method_not_allowed) head.allow = error.param;
  return joined(head, body, reply.no_body);
}

std::string plain_reply(int status, std::string_view content_type, std::string_view body, OwnReply const& reply) {
  return joined(head_for(status, content_type, body, reply), body, reply.no_body);
}

}  // namespace kvgate::proxy
