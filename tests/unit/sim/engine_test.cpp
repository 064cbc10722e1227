// What an engine answers and counts, beyond the recorded shapes.
#include "sim/engine.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "unit/sim/client.hpp"

namespace kvgate::sim::test {
namespace {

SimOptions fast() {
  SimOptions options;
  options.prefill_base = options.prefill_per_block = options.inter_token = std::chrono::microseconds(0);
  return options;
}

std::string chat_body(std::string const& text, Json extra = Json::object()) {
  Json body = {{"model", "sim-model"}, {"messages", {{{"role", "user"}, {"content", text}}}}};
  body.update(extra);
  return body.dump();
}

Json chat(SimEngine const& engine, std::string const& text, Json extra = Json::object()) {
  return request(engine.port(), "POST", "/v1/chat/completions", chat_body(text, std::move(extra))).json();
}

double metric(SimEngine const& engine, std::string const& series) {
  auto const text = "\n" + request(engine.port(), "GET", "/metrics").body;
  auto const at = text.find("\n" + series + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + series.size() + 2));
}

std::string const kLabels = "{engine=\"0\",model_name=\"sim-model\"}";

TEST(SimEngine, LengthOfTheAnswer) {
  SimEngine const engine(fast());
  auto const limited = chat(engine, "hi", {{"max_tokens", 5}});
  EXPECT_EQ(limited["usage"]["completion_tokens"], 5);
  EXPECT_EQ(limited["choices"][0]["finish_reason"], "length");
  auto const free = chat(engine, "hi");
  EXPECT_EQ(free["usage"]["completion_tokens"], 32);
  EXPECT_EQ(free["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(chat(engine, "hi", {{"max_completion_tokens", 3}, {"max_tokens", 9}})["usage"]["completion_tokens"], 3);
  EXPECT_EQ(chat(engine, "hi")["choices"], free["choices"]) << "the same request has the same answer";
}

TEST(SimEngine, RepeatedPromptsAreCachedInWholeBlocks) {
  auto options = fast();
  options.block_size = 16;
  SimEngine const engine(options);
  std::string const text(1000, 'x');
  auto const first = chat(engine, text)["usage"];
  EXPECT_EQ(first["prompt_tokens_details"]["cached_tokens"], 0);
  auto const prompt = first["prompt_tokens"].get<int>();
  auto const again = chat(engine, text)["usage"];
  EXPECT_EQ(again["prompt_tokens_details"]["cached_tokens"], (prompt - 1) / 16 * 16);
  auto const head = chat(engine, std::string(500, 'x') + std::string(500, 'y'))["usage"];
  auto const half = head["prompt_tokens_details"]["cached_tokens"].get<int>();
  EXPECT_TRUE(half >= 112 && half <= 144) << half;
  EXPECT_EQ(chat(engine, text, {{"cache_salt", "s"}})["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
  EXPECT_EQ(metric(engine, "vllm:prefix_cache_queries_total" + kLabels), prompt * 4);
  EXPECT_EQ(metric(engine, "vllm:prefix_cache_hits_total" + kLabels), (prompt - 1) / 16 * 16 + half);
}

TEST(SimEngine, TheLastTokenIsAlwaysComputed) {
  SimEngine const engine(fast());
  auto const body = Json{{"prompt", std::string(3 * 64, 'x')}}.dump();  // three blocks of sixteen tokens
  request(engine.port(), "POST", "/v1/completions", body);
  auto const usage = request(engine.port(), "POST", "/v1/completions", body).json()["usage"];
  EXPECT_EQ(usage["prompt_tokens"], 48);
  EXPECT_EQ(usage["prompt_tokens_details"]["cached_tokens"], 32);
}

TEST(SimEngine, ModelsAliasesAndAdapters) {
  auto options = fast();
  options.models = {"sim-model", "alias"};
  options.loras = {{"tuned", ""}, {"other", "alias"}};
  SimEngine const engine(options);
  auto const list = request(engine.port(), "GET", "/v1/models").json()["data"];
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[1]["id"], "alias");
  EXPECT_EQ(list[1]["parent"], nullptr);
  EXPECT_EQ(list[2]["parent"], "sim-model");
  EXPECT_EQ(list[3]["parent"], "alias");
  for (std::string const model : {"alias", "tuned"}) EXPECT_EQ(chat(engine, "hi", {{"model", model}})["model"], model);
  EXPECT_EQ(chat(engine, "hi", {{"model", nullptr}})["model"], "sim-model");
  auto const unknown = chat(engine, "hi", {{"model", "nope"}})["error"];
  EXPECT_EQ(unknown["message"], "The model `nope` does not exist. Valid aliases: sim-model, alias, tuned, other.");
}

TEST(SimEngine, AdaptersDoNotShareBlocks) {
  auto options = fast();
  options.models = {"sim-model", "alias"};
  options.loras = {{"tuned", ""}};
  SimEngine const engine(options);
  auto const cached = [&](std::string const& model) {
    return chat(engine, std::string(400, 'x'), {{"model", model}})["usage"]["prompt_tokens_details"]["cached_tokens"]
        .get<int>();
  };
  EXPECT_EQ(cached("sim-model"), 0);
  EXPECT_GT(cached("alias"), 0);
  EXPECT_EQ(cached("tuned"), 0);
}

TEST(SimEngine, BodiesThatAreNotAccepted) {
  SimEngine const engine(fast());
  std::string const deep = R"({"messages":)" + std::string(100000, '[') + std::string(100000, ']') + "}";
  std::pair<std::string, std::string> const cases[] = {
      {"[]", "body"},
      {R"({"messages":[],"max_tokens":1.5})", "body.max_tokens"},
      {R"({"messages":[],"max_tokens":0})", "max_tokens"},
      {R"({"messages":[],"max_tokens":-7})", "max_tokens"},
      {R"({"messages":null})", "body.messages"},
      {"{\"model\":\"\xff\"}", "body.11"},
      {deep, "body.0"},
  };
  for (auto const& [body, param] : cases) {
    auto const answer = request(engine.port(), "POST", "/v1/chat/completions", body);
    EXPECT_EQ(answer.status, 400) << body.substr(0, 80);
    EXPECT_EQ(answer.json()["error"]["param"], param) << body.substr(0, 80);
  }
  for (std::string const odd :
       {R"({"messages":7})", R"({"messages":[1,"a",{"content":{}}],"stream":"yes","tools":3})"}) {
    EXPECT_EQ(request(engine.port(), "POST", "/v1/chat/completions", odd).status, 200) << odd;
  }
}

TEST(SimEngine, TranscribesAForm) {
  SimEngine const engine(fast());
  auto const form = [](std::string const& model, std::string const& more) {
    return "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\n" + model + "\r\n" + more +
           "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\nRIFF\r\n--b--\r\n";
  };
  std::string const type = "Content-Type: multipart/form-data; boundary=b\r\n";
  auto const post = [&](std::string const& body) {
    return request(engine.port(), "POST", "/v1/audio/transcriptions", body, type);
  };
  auto const whole = post(form("sim-model", ""));
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.json()["text"].get<std::string>().substr(0, 11), "This answer");
  EXPECT_EQ(whole.json()["usage"]["type"], "duration");
  auto const streamed =
      post(form("sim-model", "--b\r\nContent-Disposition: form-data; name=\"stream\"\r\n\r\ntrue\r\n"));
  EXPECT_EQ(data_of(streamed).back(), "[DONE]");
  EXPECT_EQ(post(form("nope", "")).status, 404);
  EXPECT_EQ(post("--b--\r\n").json()["error"]["param"], "body.file");
}

TEST(SimEngine, ResponsesCanBeFetchedAndCancelled) {
  auto options = fast();
  options.inter_token = std::chrono::hours(1);
  SimEngine const engine(options);
  auto const post = [&](std::string const& path, std::string const& body) {
    return request(engine.port(), "POST", path, body);
  };
  auto const sync = post("/v1/responses", R"({"input":"hi","max_output_tokens":1})").json();
  auto const path = "/v1/responses/" + sync["id"].get<std::string>();
  EXPECT_EQ(request(engine.port(), "GET", path).json(), sync);
  EXPECT_EQ(post(path + "/cancel", "").status, 400);
  auto const unkept = post("/v1/responses", R"({"input":"hi","max_output_tokens":1,"store":false})").json();
  EXPECT_EQ(request(engine.port(), "GET", "/v1/responses/" + unkept["id"].get<std::string>()).status, 404);

  auto const queued = post("/v1/responses", R"({"input":"hi","background":true})").json();
  EXPECT_EQ(queued["status"], "queued");
  auto const background = "/v1/responses/" + queued["id"].get<std::string>();
  EXPECT_EQ(request(engine.port(), "GET", background).json()["status"], "in_progress");
  EXPECT_EQ(engine.stats().running, 1U);
  EXPECT_EQ(post(background + "/cancel", "").json()["status"], "cancelled");
  EXPECT_TRUE(eventually([&] { return engine.stats().running == 0; }));
  EXPECT_EQ(request(engine.port(), "GET", background).json()["status"], "cancelled");
}

TEST(SimEngine, BackgroundResponseCompletes) {
  SimEngine const engine(fast());
  auto const queued = request(engine.port(), "POST", "/v1/responses", R"({"input":"hi","background":true})").json();
  auto const path = "/v1/responses/" + queued["id"].get<std::string>();
  EXPECT_TRUE(eventually([&] { return request(engine.port(), "GET", path).json()["status"] == "completed"; }));
}

TEST(SimEngine, RerankSortsAndCuts) {
  SimEngine const engine(fast());
  auto const results =
      request(engine.port(), "POST", "/v1/rerank", R"({"query":"b","documents":["a","b","c"],"top_n":2})")
          .json()["results"];
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0]["index"], 1) << "the same text is the most similar one";
  EXPECT_GT(results[0]["relevance_score"], results[1]["relevance_score"]);
}

TEST(SimEngine, WaitsInOrderAndRefusesWhatTheQueueCannotHold) {
  auto options = fast();
  options.inter_token = std::chrono::hours(1);
  options.max_num_seqs = 1;
  options.max_num_queued_reqs = 1;
  SimEngine const engine(options);
  Client running(engine.port());
  running.send_request("POST", "/v1/chat/completions", chat_body("a"));
  ASSERT_TRUE(eventually([&] { return engine.stats().running == 1; }));
  Client waiting(engine.port());
  waiting.send_request("POST", "/v1/chat/completions", chat_body("b", {{"max_tokens", 1}}));
  ASSERT_TRUE(eventually([&] { return engine.stats().waiting == 1; }));
  EXPECT_EQ(metric(engine, "vllm:num_requests_running" + kLabels), 1);
  EXPECT_EQ(metric(engine, "vllm:num_requests_waiting" + kLabels), 1);
  EXPECT_GT(metric(engine, "vllm:kv_cache_usage_perc" + kLabels), 0);

  auto const refused = request(engine.port(), "POST", "/v1/chat/completions", chat_body("c"));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.json()["error"]["type"], "Service Unavailable");

  running.close(false);
  EXPECT_EQ(waiting.receive().status, 200) << "the place of the one that left is taken";
  EXPECT_EQ(engine.stats().aborted, 1U);
}

TEST(SimEngine, PrefillsOneAfterAnother) {
  auto options = fast();
  options.prefill_base = std::chrono::hours(1);
  SimEngine const engine(options);
  Client first(engine.port());
  Client second(engine.port());
  first.send_request("POST", "/v1/chat/completions", chat_body("a"));
  second.send_request("POST", "/v1/chat/completions", chat_body("b"));
  EXPECT_TRUE(eventually([&] { return engine.stats().running == 1 && engine.stats().waiting == 1; }));
}

TEST(SimEngine, UncachedBlocksTakeTheirTime) {
  auto options = fast();
  options.prefill_per_block = std::chrono::milliseconds(5);
  options.tokens = 1;
  SimEngine const engine(options);
  auto const took = [&](std::string const& text) {
    auto const begin = std::chrono::steady_clock::now();
    chat(engine, text);
    return std::chrono::steady_clock::now() - begin;
  };
  std::string const text(64 * 100, 'x');  // a hundred blocks
  EXPECT_GE(took(text), std::chrono::milliseconds(500));
  EXPECT_LT(took(text), std::chrono::milliseconds(400)) << "nearly all of it is cached now";
}

TEST(SimEngine, CountsAndResets) {
  SimEngine engine(fast());
  chat(engine, std::string(400, 'x'));
  request(engine.port(), "GET", "/health");
  auto const json = request(engine.port(), "GET", "/sim/stats").json();
  EXPECT_EQ(json["requests"], 1);
  EXPECT_EQ(json["finished"], 1);
  EXPECT_EQ(json["paths"]["/health"], 1);
  EXPECT_EQ(engine.stats().accepted, 3U);
  request(engine.port(), "POST", "/sim/reset");
  EXPECT_EQ(engine.stats().requests, 0U);
  EXPECT_EQ(chat(engine, std::string(400, 'x'))["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
  EXPECT_EQ(
      metric(engine, "vllm:request_success_total{engine=\"0\",finished_reason=\"stop\",model_name=\"sim-model\"}"), 1);
}

TEST(SimEngine, HistogramsCount) {
  SimEngine const engine(fast());
  chat(engine, "hi", {{"max_tokens", 4}});
  for (std::string const name : {"time_to_first_token_seconds", "e2e_request_latency_seconds"}) {
    EXPECT_EQ(metric(engine, "vllm:" + name + "_count" + kLabels), 1) << name;
    EXPECT_EQ(metric(engine, "vllm:" + name + "_bucket{engine=\"0\",le=\"+Inf\",model_name=\"sim-model\"}"), 1) << name;
  }
  EXPECT_EQ(metric(engine, "vllm:inter_token_latency_seconds_count" + kLabels), 3);
  EXPECT_EQ(metric(engine, "vllm:generation_tokens_total" + kLabels), 4);
  EXPECT_GT(metric(engine, "process_start_time_seconds"), 1.7e9);
}

TEST(SimEngine, NamesItselfOnlyWhenAsked) {
  auto options = fast();
  SimEngine const nameless(options);
  EXPECT_EQ(request(nameless.port(), "GET", "/health").header("x-sim-engine"), "");
  options.name = "one";
  SimEngine const named(options);
  EXPECT_EQ(request(named.port(), "GET", "/health").header("x-sim-engine"), "one");
}

TEST(SimEngine, ThrowsForWhatMakesNoEngine) {
  auto options = fast();
  options.models.clear();
  EXPECT_THROW(SimEngine{options}, std::invalid_argument);
  options = fast();
  options.block_size = 0;
  EXPECT_THROW(SimEngine{options}, std::invalid_argument);
  SimEngine const first(fast());
  options = fast();
  options.port = first.port();
  EXPECT_THROW(SimEngine{options}, std::exception) << "the port is taken";
}

}  // namespace
}  // namespace kvgate::sim::test
