#include "openai/api.hpp"

#include <algorithm>
#include <stdexcept>

#include "openai/builtin_routes.hpp"

namespace kvgate::openai {
namespace {

constexpr std::string_view kWildcard = "{}";
constexpr std::size_t kMaxSegment = 256;

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '~' || c == '-';
}

bool valid_segment(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSegment && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), unreserved);
}

[[noreturn]] void reject(std::string const& entry, char const* why) {
  throw std::invalid_argument("'" + entry + "': " + why);
}

/// Extra paths are written with the segments that a `{}` would match, so that nothing in them needs escaping.
void check_extra_path(std::string const& entry, std::string_view path) {
  if (path.empty() || path.front() != '/') reject(entry, "expected \"/path\" or \"METHOD /path\"");
  std::size_t wildcards = 0;
  for (std::size_t at = 1; at <= path.size();) {
    auto const end = std::min(path.find('/', at), path.size());
    auto const segment = path.substr(at, end - at);
    if (segment == kWildcard) {
      ++wildcards;
    } else if (!valid_segment(segment)) {
      reject(entry, "a segment of the path is {} or of letters, digits and ._~-, and not empty, \".\" or \"..\"");
    }
    at = end + 1;
  }
  if (wildcards > 1) reject(entry, "at most one {} in a path");
}

}  // namespace

RouteTable::RouteTable(std::span<std::string const> extra) : rows_(builtin_routes()) {
  for (auto const& entry : extra) add_extra(entry);
  index_rows();
}

void RouteTable::add_extra(std::string const& entry) {
  auto const space = entry.find(' ');
  RouteRow row;
  if (space != std::string::npos) {
    row.method = entry.substr(0, space);
    auto const upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (row.method.empty() || !std::all_of(row.method.begin(), row.method.end(), upper)) {
      reject(entry, "the method is upper-case letters");
    }
  }
  row.path = space == std::string::npos ? entry : entry.substr(space + 1);
  check_extra_path(entry, row.path);
  for (auto const& known : rows_) {
    if (known.path != row.path) continue;
    auto const answers = row.method.empty() || row.method == "GET" || row.method == "HEAD";
    if (known.own != OwnEndpoint::none && answers) reject(entry, "the gate answers this path itself");
    if (known.method == row.method) return;
  }
  rows_.push_back(std::move(row));
}

void RouteTable::index_rows() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].id = static_cast<std::uint16_t>(i);
    group_of(rows_[i].path).ids.push_back(rows_[i].id);
  }
}

RouteTable::PathRows& RouteTable::group_of(std::string_view path) {
  auto const at = path.find(kWildcard);
  if (at == std::string_view::npos) return literals_.try_emplace(path, PathRows{path, {}, {}, {}}).first->second;
  auto const same = [path](PathRows const& group) { return group.path == path; };
  auto const known = std::find_if(wildcards_.begin(), wildcards_.end(), same);
  if (known != wildcards_.end()) return *known;
  return wildcards_.emplace_back(PathRows{path, path.substr(0, at), path.substr(at + kWildcard.size()), {}});
}

Result<RouteMatch> RouteTable::find(std::string_view method, std::string_view path) const {
  std::string_view segment;
  auto const* group = match_path(path, segment);
  if (group == nullptr) return Error(ErrorKind::not_found, "no such path");
  if (auto const* row = pick(*group, method)) return RouteMatch{row, segment};
  return method_error(*group);
}

std::span<RouteRow const> RouteTable::rows() const noexcept {
  return rows_;
}

RouteTable::PathRows const* RouteTable::match_path(std::string_view path, std::string_view& segment) const {
  if (auto const literal = literals_.find(path); literal != literals_.end()) return &literal->second;
  for (auto const& group : wildcards_) {
    if (match_wildcard(group, path, segment)) return &group;
  }
  return nullptr;
}

bool RouteTable::match_wildcard(PathRows const& group, std::string_view path, std::string_view& segment) const {
  if (path.size() <= group.prefix.size() + group.suffix.size()) return false;
  if (!path.starts_with(group.prefix) || !path.ends_with(group.suffix)) return false;
  auto const inner = path.substr(group.prefix.size(), path.size() - group.prefix.size() - group.suffix.size());
  auto const any_rest = rows_[group.ids.front()].own == OwnEndpoint::model;
  if (!any_rest && !valid_segment(inner)) return false;
  segment = inner;
  return true;
}

RouteRow const* RouteTable::pick(PathRows const& group, std::string_view method) const {
  for (auto const id : group.ids) {
    if (rows_[id].method == method) return &rows_[id];
  }
  // The GET row of an own path, where there is one, is the first of its group; a proxied path leaves the judgement to the
  // engine.
  auto const& first = rows_[group.ids.front()];
  if (method == "HEAD" && (first.own == OwnEndpoint::none || first.method == "GET")) return &first;
  for (auto const id : group.ids) {
    if (rows_[id].method.empty()) return &rows_[id];
  }
  return nullptr;
}

Error RouteTable::method_error(PathRows const& group) const {
  std::string allowed;
  for (auto const id : group.ids) {
    if (!allowed.empty()) allowed += ", ";
    allowed += rows_[id].method;
    if (rows_[id].own != OwnEndpoint::none && rows_[id].method == "GET") allowed += ", HEAD";
  }
  auto message = "method not allowed here; allowed: " + allowed;
  return Error(ErrorKind::method_not_allowed, std::move(message), std::move(allowed));
}

}  // namespace kvgate::openai
