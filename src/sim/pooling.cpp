// Endpoints that compute a prompt and generate nothing: embeddings, pooling, score, rerank.
#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "sim/base64.hpp"
#include "sim/generation.hpp"
#include "sim/handlers.hpp"
#include "sim/prompt.hpp"
#include "sim/replies.hpp"

namespace kvgate::sim {

namespace net = boost::asio;

namespace {

constexpr std::size_t kDimensions = 64;

/// A unit vector that depends on the text alone.
std::vector<float> vector_of(Json const& text, std::size_t dimensions) {
  std::uint32_t ignored = 0;
  auto const hashes = block_hashes(prompt_tokens(text, ignored), 1, "vector");
  std::mt19937 random(hashes.empty() ? 1U : static_cast<std::uint32_t>(hashes.back()));
  std::vector<float> values(dimensions);
  double square = 0;
  for (auto& value : values) {
    value = static_cast<float>(static_cast<std::int32_t>(random())) / 2147483648.0F;
    square += static_cast<double>(value) * value;
  }
  for (auto& value : values) value /= static_cast<float>(std::sqrt(square));
  return values;
}

double similarity(Json const& a, Json const& b) {
  auto const left = vector_of(a, kDimensions);
  auto const right = vector_of(b, kDimensions);
  double sum = 0;
  for (std::size_t i = 0; i < kDimensions; ++i) sum += static_cast<double>(left[i]) * right[i];
  return sum;
}

/// The texts of a member that is one text or a list of them; a list of numbers is one text of token ids.
Json items_of(Json const& body, char const* key) {
  auto const* value = member(body, key);
  if (value == nullptr) return Json::array();
  bool const many = value->is_array() && !value->empty() && !value->front().is_number();
  return many ? *value : Json::array({*value});
}

Json vector_json(std::vector<float> const& values, bool base64) {
  if (!base64) return values;
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return base64_encode(bytes);
}

Json usage_of(Job const& job) {
  return {{"prompt_tokens", job.prompt.size()},
          {"total_tokens", job.prompt.size()},
          {"completion_tokens", 0},
          {"prompt_tokens_details", nullptr},
          {"completion_tokens_details", nullptr}};
}

using Answer = Json (*)(Job const&, Json const& body);

/// How one of the endpoints differs from the others.
struct Kind {
  char const* prefix;               ///< of the id
  std::vector<char const*> needed;  ///< one of these members has to be there
  std::vector<char const*> prompt;  ///< these make up the prompt
  Answer answer;
};

Parsed<Job> read(Exchange& exchange, Json const& body, Kind const& kind) {
  auto const is_there = [&](char const* key) { return member(body, key) != nullptr; };
  if (std::none_of(kind.needed.begin(), kind.needed.end(), is_there)) return missing_field(body, kind.needed.front());
  Tokens prompt;
  if (is_there("messages")) prompt = tokenize(chat_text(body));
  for (auto const* key : kind.prompt) {
    std::uint32_t ignored = 0;
    auto const part = is_there(key) ? prompt_tokens(*member(body, key), ignored) : Tokens();
    prompt.insert(prompt.end(), part.begin(), part.end());
  }
  auto& engine = exchange.engine();
  auto job = with_prefix(base_job(engine, exchange.request(), body, std::move(prompt)), kind.prefix);
  if (job) job->tokens = 0;
  if (!job && job.error().status == 404) {
    // Pooling models do not tell their aliases, nor the parameter.
    auto const name = string_or(body, "model");
    return error_reply(404, "NotFoundError", "The model `" + name + "` does not exist.");
  }
  return job;
}

net::awaitable<void> serve(Exchange& exchange, Kind const& kind) {
  auto const body = parse_body(exchange.request());
  auto const job = body ? read(exchange, *body, kind) : Parsed<Job>(body.error());
  if (!job || !admits(exchange.engine())) {
    auto reply = job ? overloaded() : job.error();
    co_await exchange.send(std::move(reply));
    co_return;
  }
  auto const executor = co_await net::this_coro::executor;
  Generation generation(exchange.engine(), *job, executor);
  co_await generation.prefill();
  generation.finish();
  auto reply = json_reply(kind.answer(*job, *body));
  co_await exchange.send(std::move(reply));
}

Json list_of(Job const& job) {
  return {{"id", job.id}, {"object", "list"}, {"created", job.created}, {"model", job.model}, {"data", Json::array()}};
}

Json vectors(Job const& job, Json const& body, char const* object, char const* key) {
  auto const dimensions = std::clamp<std::uint64_t>(number(body, "dimensions").value_or(kDimensions), 1, 4096);
  bool const base64 = string_or(body, "encoding_format") == "base64";
  auto const items = member(body, "input") != nullptr ? items_of(body, "input") : Json::array({chat_text(body)});
  auto list = list_of(job);
  for (auto const& item : items) {
    Json entry = {{"index", list["data"].size()}, {"object", object}};
    entry[key] = vector_json(vector_of(item, dimensions), base64);
    list["data"].push_back(std::move(entry));
  }
  list["usage"] = usage_of(job);
  return list;
}

Json embedding_answer(Job const& job, Json const& body) {
  return vectors(job, body, "embedding", "embedding");
}

Json pooling_answer(Job const& job, Json const& body) {
  return vectors(job, body, "pooling", "data");
}

Json score_answer(Job const& job, Json const& body) {
  auto const queries = items_of(body, member(body, "text_1") != nullptr ? "text_1" : "queries");
  auto const documents = items_of(body, member(body, "text_2") != nullptr ? "text_2" : "documents");
  auto list = list_of(job);
  for (std::size_t i = 0; i < documents.size() && !queries.empty(); ++i) {
    // One query against all documents, or one against one.
    auto const& query = queries[std::min(i, queries.size() - 1)];
    list["data"].push_back({{"index", i}, {"object", "score"}, {"score", similarity(query, documents[i])}});
  }
  list["usage"] = usage_of(job);
  return list;
}

Json rerank_answer(Job const& job, Json const& body) {
  auto const documents = items_of(body, "documents");
  Json const query = string_or(body, "query");
  std::vector<Json> results;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    Json document = {{"text", documents[i]}, {"multi_modal", nullptr}};
    results.push_back(
        {{"index", i}, {"document", std::move(document)}, {"relevance_score", similarity(query, documents[i])}});
  }
  auto const better = [](Json const& a, Json const& b) {
    return a.at("relevance_score").get<double>() > b.at("relevance_score").get<double>();
  };
  std::stable_sort(results.begin(), results.end(), better);
  auto const limit = number(body, "top_n").value_or(0);
  if (limit > 0 && limit < results.size()) results.resize(limit);
  Json usage = {{"prompt_tokens", job.prompt.size()}, {"total_tokens", job.prompt.size()}};
  return {{"id", job.id}, {"model", job.model}, {"usage", std::move(usage)}, {"results", std::move(results)}};
}

Kind const kEmbeddings{"embd-", {"input", "messages"}, {"input"}, embedding_answer};
Kind const kPooling{"pooling-", {"input", "messages"}, {"input"}, pooling_answer};
Kind const kScore{"score-", {"text_2", "documents"}, {"text_1", "queries", "text_2", "documents"}, score_answer};
Kind const kRerank{"score-", {"documents"}, {"query", "documents"}, rerank_answer};

}  // namespace

net::awaitable<void> embeddings(Exchange& exchange) {
  return serve(exchange, kEmbeddings);
}

net::awaitable<void> pooling(Exchange& exchange) {
  return serve(exchange, kPooling);
}

net::awaitable<void> score(Exchange& exchange) {
  return serve(exchange, kScore);
}

net::awaitable<void> rerank(Exchange& exchange) {
  return serve(exchange, kRerank);
}

}  // namespace kvgate::sim
