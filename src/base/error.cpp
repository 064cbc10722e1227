#include "kvgate/error.hpp"

#include <stdexcept>

namespace kvgate {
namespace {

struct KindRow {
  std::string_view name;
  int status;
};

// In the order of ErrorKind.
constexpr KindRow kKinds[] = {
    {"bad_request", 400},        {"head_too_large", 431},      {"body_too_large", 413},  {"request_timeout", 408},
    {"unsupported_media", 415},  {"not_found", 404},           {"method_not_allowed", 405},
    {"model_not_found", 404},    {"forbidden", 403},           {"no_engine", 503},       {"out_of_memory", 503},
    {"engine_unreachable", 502}, {"engine_bad_response", 502}, {"engine_lost", 502},     {"engine_timeout", 504},
    {"client_gone", 499},        {"shutting_down", 503},       {"internal", 500},
};
static_assert(std::size(kKinds) == static_cast<std::size_t>(ErrorKind::internal) + 1);

}  // namespace

std::string_view to_string(ErrorKind kind) noexcept { return kKinds[static_cast<std::size_t>(kind)].name; }

int http_status(ErrorKind kind) noexcept { return kKinds[static_cast<std::size_t>(kind)].status; }

void throw_exception_from_error(Error const& error, boost::source_location const&) {
  throw std::logic_error("unchecked error: " + std::string(to_string(error.kind)) + ": " + error.message);
}

}  // namespace kvgate
