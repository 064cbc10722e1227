// The table of paths: what is proxied, what the gate answers itself, and what kind of API each path speaks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kvgate/error.hpp"

namespace kvgate::openai {

/// What the body of a path looks like; decides where the prompt is, and the shape of errors and usage.
enum class ApiKind : std::uint8_t {
  other,
  chat,
  batch_chat,
  completions,
  responses,
  messages,
  embeddings,
  pooling,
  score,
  rerank,
  tokenize,
  audio_form,
  speech,
  image_json,
  image_form,
  generate,
  own
};

/// Anthropic-shaped errors and `event: error` frames on /v1/messages*; `event: error` also on /v1/responses.
enum class ErrorShape : std::uint8_t { openai, anthropic };

/// Whether engines answer with text that they generate, token after token.
constexpr bool generates(ApiKind api) noexcept {
  using K = ApiKind;
  return api == K::chat || api == K::batch_chat || api == K::completions || api == K::responses || api == K::messages ||
         api == K::generate;
}

/// The gate's own endpoints (RouteRow::own).
enum class OwnEndpoint : std::uint8_t { none, models, model, health, ready, metrics, version, engines, config, explain };

/// One row of the table. `path` has at most one `{}`: a single segment of [A-Za-z0-9._~-]{1,256}, not "." or "..".
/// Only OwnEndpoint::model is wider: its `{}` is the rest of the path, since the ids of models contain slashes.
struct RouteRow {
  std::string method;  ///< "" = any method (only from proxy.extra_paths)
  std::string path;    ///< also the metric label `route`
  ApiKind api = ApiKind::other;
  ErrorShape shape = ErrorShape::openai;
  OwnEndpoint own = OwnEndpoint::none;
  bool by_response_id = false;  ///< /v1/responses/{}: goes to the engine that made the id
  std::uint16_t id = 0;         ///< index in the table: dense, stable for the process
};

struct RouteMatch {
  RouteRow const* row = nullptr;
  std::string_view segment;  ///< what the `{}` matched, as it came; empty without a wildcard
};

/// Built once at start; immutable and shared by all workers. Movable, not copyable (the index points into the rows).
class RouteTable {
 public:
  /// `extra`: entries of proxy.extra_paths. Throws std::invalid_argument with the entry when one is malformed or names
  /// what the gate answers itself; one that the table has already changes nothing.
  explicit RouteTable(std::span<std::string const> extra);
  RouteTable(RouteTable&&) noexcept = default;
  RouteTable& operator=(RouteTable&&) noexcept = default;

  /// `path` without query. A literal path wins over a wildcard. HEAD finds the GET row of an own endpoint, and any row
  /// of a proxied path. Allocates only for an error: not_found, or method_not_allowed with the allowed methods
  /// ("GET, POST", fit for the Allow header) as param.
  Result<RouteMatch> find(std::string_view method, std::string_view path) const;

  std::span<RouteRow const> rows() const noexcept;

 private:
  /// The rows of one path; for a wildcard also what stands around the `{}`.
  struct PathRows {
    std::string_view path, prefix, suffix;
    std::vector<std::uint16_t> ids;
  };

  void add_extra(std::string const& entry);
  void index_rows();
  PathRows& group_of(std::string_view path);
  PathRows const* match_path(std::string_view path, std::string_view& segment) const;
  bool match_wildcard(PathRows const& group, std::string_view path, std::string_view& segment) const;
  RouteRow const* pick(PathRows const& group, std::string_view method) const;
  Error method_error(PathRows const& group) const;

  std::vector<RouteRow> rows_;  // complete before it is indexed: the groups keep views of the paths
  std::unordered_map<std::string_view, PathRows> literals_;
  std::vector<PathRows> wildcards_;
};

/// Takes a request target apart. Absolute-form ("http://host/path?q") is reduced to the path. Errors: bad_request for
/// anything that is not origin-form or absolute-form (authority-form, "*", fragments, spaces, control and non-ASCII
/// bytes). An absolute-form target without a path is "/", its query is dropped: nothing is served there.
struct Target {
  std::string_view path;  ///< starts with "/", as it came
  std::string_view path_and_query;
};
Result<Target> split_target(std::string_view target);

/// Resolves %XX (the id in /v1/models/{}); nullopt when an escape is broken. "+" stays "+".
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace kvgate::openai
