#include "sim/multipart.hpp"

namespace kvgate::sim {
namespace {

/// The value after `key=` in a header, without quotes; empty if it is not there.
std::string parameter(std::string_view header, std::string_view key) {
  auto const at = header.find(key);
  if (at == std::string_view::npos) return {};
  auto value = header.substr(at + key.size());
  if (value.starts_with('"')) return std::string(value.substr(1, value.find('"', 1) - 1));
  return std::string(value.substr(0, value.find_first_of("; \r\n")));
}

}  // namespace

std::vector<std::pair<std::string, std::string_view>> parse_multipart(std::string_view content_type,
                                                                      std::string_view body) {
  std::vector<std::pair<std::string, std::string_view>> fields;
  auto const boundary = parameter(content_type, "boundary=");
  if (boundary.empty()) return fields;
  auto const mark = "--" + boundary;
  auto start = body.find(mark);
  while (start != std::string_view::npos) {
    start += mark.size();
    auto const end = body.find("\r\n" + mark, start);
    if (end == std::string_view::npos) break;
    auto const part = body.substr(start, end - start);
    auto const head = part.find("\r\n\r\n");
    // The leading space keeps `filename=` from being taken for `name=`.
    auto name = parameter(part.substr(0, head), " name=");
    if (head != std::string_view::npos && !name.empty()) fields.emplace_back(std::move(name), part.substr(head + 4));
    start = end + 2;
  }
  return fields;
}

}  // namespace kvgate::sim
