#include "openai/multipart.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/ascii.hpp"
#include "openai/header_params.hpp"

namespace kvgate::openai {
namespace {

constexpr std::size_t kMaxBoundary = 70;
constexpr std::size_t kMaxPartHead = 16 * 1024;

Error broken(char const* why, char const* param = "") {
  return Error(ErrorKind::bad_request, std::string("multipart form: ") + why, param);
}

Result<std::string> boundary_of(std::string_view content_type) {
  HeaderParams params(content_type);
  if (!iequals(params.main(), "multipart/form-data")) return broken("the content type is not multipart/form-data");
  std::string boundary;
  while (params.next()) {
    if (!iequals(params.name(), "boundary")) continue;
    if (!boundary.empty()) return broken("the content type has more than one boundary");
    boundary = params.text();
    if (boundary.empty()) break;
  }
  if (!params.ok()) return broken("the content type is malformed");
  if (boundary.empty() || boundary.size() > kMaxBoundary) return broken("no boundary of 1 to 70 characters");
  return boundary;
}

/// memmem instead of string_view::find: its cost per byte does not depend on what a file part holds.
std::size_t find_in(std::string_view text, std::string_view what, std::size_t from) {
  auto const* hit = memmem(text.data() + from, text.size() - from, what.data(), what.size());
  return hit == nullptr ? std::string_view::npos
                        : static_cast<std::size_t>(static_cast<char const*>(hit) - text.data());
}

/// Where a boundary line stands and what follows it.
struct Delimiter {
  std::size_t begin = 0;  ///< of the CRLF before it
  std::size_t end = 0;    ///< after its own CRLF, or after the final "--"
  bool last = false;
};

class FormReader {
 public:
  FormReader(std::string const& boundary, std::string_view body) : mark_("\r\n--" + boundary), body_(body) {}

  Result<FormFields> read() {
    Delimiter at;
    if (!first(at)) return broken("the boundary of the content type is not in the body");
    while (!at.last) {
      auto const head = at.end;
      if (!find(head, at)) return broken("the closing boundary is missing");
      if (auto const error = part(body_.substr(head, at.begin - head))) return *error;
    }
    return fields_;
  }

 private:
  /// The body may start with the boundary, without a CRLF before it.
  bool first(Delimiter& at) const {
    auto const line = std::string_view(mark_).substr(2);
    if (body_.starts_with(line) && after_mark(line.size(), at)) return true;
    return find(0, at);
  }

  bool find(std::size_t from, Delimiter& at) const {
    while (from < body_.size()) {
      auto const hit = find_in(body_, mark_, from);
      if (hit == std::string_view::npos) return false;
      at.begin = hit;
      if (after_mark(hit + mark_.size(), at)) return true;
      from = hit + 2;
    }
    return false;
  }

  /// After a boundary come "--" or blanks and CRLF; anything else is content that begins like the boundary.
  bool after_mark(std::size_t pos, Delimiter& at) const {
    auto const rest = body_.substr(pos);
    at.last = rest.starts_with("--");
    at.end = pos + 2;
    if (at.last) return true;
    auto const line = std::min(rest.find_first_not_of(" \t"), rest.size());
    at.end = pos + line + 2;
    return rest.substr(line).starts_with("\r\n");
  }

  std::optional<Error> part(std::string_view text) {
    std::size_t content = 2;  // an empty head is a CRLF alone
    if (!text.starts_with("\r\n")) {
      auto const head_end = text.substr(0, kMaxPartHead).find("\r\n\r\n");
      if (head_end == std::string_view::npos) return broken("a part without the empty line after its headers");
      content = head_end + 4;
    }
    return headers(text.substr(0, content), text.substr(content));
  }

  std::optional<Error> headers(std::string_view head, std::string_view content) {
    while (!head.empty()) {
      auto const line = head.substr(0, head.find("\r\n"));
      head.remove_prefix(line.size() + 2);
      auto const colon = line.find(':');
      if (colon == std::string_view::npos || !iequals(line.substr(0, colon), "content-disposition")) continue;
      if (auto error = disposition(line.substr(colon + 1), content)) return error;
    }
    return std::nullopt;
  }

  std::optional<Error> disposition(std::string_view value, std::string_view content) {
    HeaderParams params(value);
    std::optional<std::string> name;
    bool file = false;
    while (params.next()) {
      // RFC 7578 forbids the encoded form: engines and we could read two different names out of it.
      if (iequals(params.name(), "name*")) return broken("name* is not allowed in a form");
      if (params.name().size() >= 8 && iequals(params.name().substr(0, 8), "filename")) file = true;
      if (!iequals(params.name(), "name")) continue;
      if (name) return broken("a part has two names");
      name = params.text();
    }
    if (!params.ok()) return broken("a malformed Content-Disposition");
    if (name == "stream") fields_.stream = content;
    if (name != "model") return std::nullopt;
    if (file) return broken("`model` must be text, not a file", "model");
    if (fields_.model) return broken("`model` is given more than once", "model");
    fields_.model = content;
    return std::nullopt;
  }

  std::string mark_;
  std::string_view body_;
  FormFields fields_;
};

}  // namespace

Result<FormFields> read_form(std::string_view content_type, std::string_view body) {
  auto boundary = boundary_of(content_type);
  if (!boundary) return boundary.error();
  return FormReader(*boundary, body).read();
}

}  // namespace kvgate::openai
