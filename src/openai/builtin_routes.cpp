#include "openai/builtin_routes.hpp"

namespace kvgate::openai {
namespace {

using K = ApiKind;

/// `POST path`, proxied.
struct PostRoute {
  char const* path;
  ApiKind api;
  ErrorShape shape = ErrorShape::openai;
};

// What only tokenises or renders costs an engine no prefill, hence the kind `tokenize` for the render paths. What
// switches an engine (sleep, abort_requests, scale_elastic_ep, ...) or only describes one (load, ping, docs, ...) is
// left out on purpose.
constexpr PostRoute kPosts[] = {
    {"/v1/chat/completions", K::chat},
    {"/v1/chat/completions/batch", K::batch_chat},
    {"/v1/completions", K::completions},
    {"/v1/responses", K::responses},
    {"/v1/messages", K::messages, ErrorShape::anthropic},
    {"/v1/messages/count_tokens", K::tokenize, ErrorShape::anthropic},
    {"/v1/systemone", K::other},
    {"/invocations", K::other},
    {"/generative_scoring", K::score},
    {"/inference/v1/generate", K::generate},
    {"/v1/chat/completions/render", K::tokenize},
    {"/v1/completions/render", K::tokenize},
    {"/v1/responses/render", K::tokenize},
    {"/v1/messages/render", K::tokenize, ErrorShape::anthropic},
    {"/v1/chat/completions/derender", K::tokenize},
    {"/v1/completions/derender", K::tokenize},
    {"/tokenize", K::tokenize},
    {"/detokenize", K::tokenize},
    {"/pooling", K::pooling},
    {"/classify", K::pooling},
    {"/v1/embeddings", K::embeddings},
    {"/v2/embed", K::embeddings},
    {"/score", K::score},
    {"/v1/score", K::score},
    {"/rerank", K::rerank},
    {"/v1/rerank", K::rerank},
    {"/v2/rerank", K::rerank},
    {"/v1/audio/transcriptions", K::audio_form},
    {"/v1/audio/translations", K::audio_form},
    {"/v1/audio/speech", K::speech},
    {"/v1/images/generations", K::image_json},
    {"/v1/images/edits", K::image_form},
    {"/v1/images/variations", K::image_form},
};

struct OwnRoute {
  char const* path;
  OwnEndpoint own;
};

constexpr OwnRoute kOwn[] = {
    {"/v1/models", OwnEndpoint::models}, {"/v1/models/{}", OwnEndpoint::model}, {"/health", OwnEndpoint::health},
    {"/ready", OwnEndpoint::ready},      {"/metrics", OwnEndpoint::metrics},    {"/version", OwnEndpoint::version},
    {"/engines", OwnEndpoint::engines},  {"/config", OwnEndpoint::config},
};

RouteRow by_id(char const* method, char const* path) {
  return {.method = method, .path = path, .api = K::responses, .by_response_id = true};
}

}  // namespace

std::vector<RouteRow> builtin_routes() {
  std::vector<RouteRow> rows;
  for (auto const& own : kOwn) rows.push_back({.method = "GET", .path = own.path, .api = K::own, .own = own.own});
  rows.push_back({.method = "POST", .path = "/explain", .api = K::own, .own = OwnEndpoint::explain});
  for (auto const& post : kPosts) {
    rows.push_back({.method = "POST", .path = post.path, .api = post.api, .shape = post.shape});
  }
  rows.push_back({.method = "GET", .path = "/tokenizer_info"});
  rows.push_back(by_id("GET", "/v1/responses/{}"));
  rows.push_back(by_id("DELETE", "/v1/responses/{}"));
  rows.push_back(by_id("POST", "/v1/responses/{}/cancel"));
  return rows;
}

}  // namespace kvgate::openai
