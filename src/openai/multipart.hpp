// The fields of a multipart/form-data body (RFC 7578) that routing reads. Nothing is copied or changed.
#pragma once

#include <optional>
#include <string_view>

#include "kvgate/error.hpp"

namespace kvgate::openai {

/// Views into the body.
struct FormFields {
  std::optional<std::string_view> model;
  std::optional<std::string_view> stream;
};

/// One pass over the body; the content of the other parts is only searched for the boundary. Errors: bad_request when
/// the content type is not multipart/form-data with one boundary of 1 to 70 characters, when the form is broken or
/// ends before its closing boundary, and when `model` is repeated or has a file name.
Result<FormFields> read_form(std::string_view content_type, std::string_view body);

}  // namespace kvgate::openai
