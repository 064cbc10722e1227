// The habits of the connection: when bytes come, in what pieces, and what happens when the client leaves.
#include <gtest/gtest.h>

#include <memory>

#include "sim/engine.hpp"
#include "unit/sim/client.hpp"

namespace kvgate::sim::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

SimOptions paced(std::chrono::microseconds prefill, std::chrono::microseconds inter_token) {
  SimOptions options;
  options.prefill_base = prefill;
  options.prefill_per_block = std::chrono::microseconds(0);
  options.inter_token = inter_token;
  return options;
}

std::string const kStream = R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":4,"stream":true})";
std::string const kWhole = R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":4})";
std::string const kChat = "/v1/chat/completions";

TEST(SimStream, HeadComesBeforeThePrefill) {
  SimEngine const engine(paced(std::chrono::hours(1), milliseconds(0)));
  Client client(engine.port());
  client.send_request("POST", kChat, kStream);
  EXPECT_EQ(client.receive_head().status, 200);
  client.set_timeout(50);
  EXPECT_EQ(client.receive_chunk(), std::nullopt) << "no event while the prefill lasts";
  EXPECT_EQ(engine.stats().running, 1U);
}

TEST(SimStream, WholeAnswersHaveNoHeadBeforeThePrefill) {
  SimEngine const engine(paced(std::chrono::hours(1), milliseconds(0)));
  Client client(engine.port());
  client.send_request("POST", kChat, kWhole);
  client.set_timeout(50);
  EXPECT_EQ(client.receive_head().status, 0);
}

TEST(SimStream, ResponsesAnnounceThemselvesBeforeThePrefill) {
  SimEngine const engine(paced(std::chrono::hours(1), milliseconds(0)));
  Client client(engine.port());
  client.send_request("POST", "/v1/responses", R"({"input":"hi","stream":true})");
  client.receive_head();
  EXPECT_TRUE(client.receive_chunk().value_or("").starts_with("event: response.created\n"));
  EXPECT_TRUE(client.receive_chunk().value_or("").starts_with("event: response.in_progress\n"));
}

TEST(SimStream, TokensKeepThePace) {
  SimEngine const engine(paced(milliseconds(30), milliseconds(20)));
  auto const begin = steady_clock::now();
  auto const answer = request(engine.port(), "POST", kChat, kStream);
  EXPECT_GE(steady_clock::now() - begin, milliseconds(30 + 3 * 20));
  EXPECT_TRUE(answer.complete);
  EXPECT_EQ(answer.chunks.size(), 6U) << "role, four tokens, [DONE]";
  EXPECT_EQ(answer.chunks.back(), "data: [DONE]\n\n");
}

TEST(SimStream, UsageOnlyWhenAskedFor) {
  SimEngine const engine(paced(milliseconds(0), milliseconds(0)));
  EXPECT_EQ(request(engine.port(), "POST", kChat, kStream).body.find("usage"), std::string::npos);
  auto body = Json::parse(kStream);
  body["stream_options"] = {{"include_usage", true}};
  auto const data = data_of(request(engine.port(), "POST", kChat, body.dump()));
  auto const usage = Json::parse(data.at(data.size() - 2));
  EXPECT_EQ(usage["choices"], Json::array());
  EXPECT_EQ(usage["usage"]["completion_tokens"], 4);
}

TEST(SimStream, AnthropicStreamsNameEventsAndHaveNoDone) {
  SimEngine const engine(paced(milliseconds(0), milliseconds(0)));
  auto const answer = request(engine.port(), "POST", "/v1/messages",
                              R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":2,"stream":true})");
  EXPECT_TRUE(answer.complete);
  ASSERT_EQ(answer.chunks.size(), 7U);
  for (auto const& chunk : answer.chunks) EXPECT_TRUE(chunk.starts_with("event: ")) << chunk;
  EXPECT_EQ(answer.chunks.back(), "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
}

TEST(SimStream, IdIsTheRequestsOwn) {
  SimEngine const engine(paced(milliseconds(0), milliseconds(0)));
  std::string const header = "X-Request-Id: mine-1\r\n";
  EXPECT_EQ(request(engine.port(), "POST", kChat, kWhole, header).json()["id"], "chatcmpl-mine-1");
  auto const streamed = data_of(request(engine.port(), "POST", kChat, kStream, header));
  EXPECT_EQ(Json::parse(streamed.front())["id"], "chatcmpl-mine-1");
}

struct Leaving {
  char const* name;
  bool streams;
  void (*leave)(Client&);
};

class SimAbort : public testing::TestWithParam<Leaving> {};

TEST_P(SimAbort, IsNoticedAtOnce) {
  SimEngine const engine(paced(milliseconds(0), std::chrono::hours(1)));
  Client client(engine.port());
  client.send_request("POST", kChat, GetParam().streams ? kStream : kWhole);
  ASSERT_TRUE(eventually([&] { return engine.stats().running == 1; }));
  GetParam().leave(client);
  EXPECT_TRUE(eventually([&] { return engine.stats().aborted == 1; }));
  auto const stats = engine.stats();
  EXPECT_EQ(stats.running, 0U);
  EXPECT_EQ(stats.finished, 0U);
  EXPECT_TRUE(eventually([&] { return engine.stats().connections == 0; }));
  EXPECT_EQ(request(engine.port(), "GET", "/health").status, 200);
}

INSTANTIATE_TEST_SUITE_P(Ways, SimAbort,
                         testing::Values(Leaving{"fin", true, [](Client& c) { c.close(false); }},
                                         Leaving{"reset", true, [](Client& c) { c.close(true); }},
                                         Leaving{"half_close", true, [](Client& c) { c.finish_sending(); }},
                                         Leaving{"whole_fin", false, [](Client& c) { c.close(false); }},
                                         Leaving{"whole_reset", false, [](Client& c) { c.close(true); }},
                                         Leaving{"behind_pipelined_bytes", true,
                                                 [](Client& c) {
                                                   c.send_request("GET", "/health");
                                                   c.close(false);
                                                 }}),
                         [](auto const& way) { return std::string(way.param.name); });

TEST(SimConnection, ServesPipelinedRequestsInOrder) {
  SimEngine const engine(paced(milliseconds(5), milliseconds(0)));
  Client client(engine.port());
  client.send_request("POST", kChat, kStream);
  client.send_request("GET", "/version");
  EXPECT_EQ(data_of(client.receive()).back(), "[DONE]");
  EXPECT_EQ(client.receive().json()["version"], "0.32.0");
  EXPECT_EQ(engine.stats().aborted, 0U);
}

TEST(SimConnection, ClosesIdleOnesOnly) {
  auto options = paced(milliseconds(0), milliseconds(40));
  options.keep_alive = milliseconds(50);
  SimEngine const engine(options);
  Client client(engine.port());
  client.send_request("POST", kChat, kStream);
  EXPECT_TRUE(client.receive().complete) << "an answer may take longer than an idle connection is kept";
  EXPECT_TRUE(client.at_end());
  EXPECT_FALSE(client.was_reset());
  EXPECT_TRUE(eventually([&] { return engine.stats().connections == 0; }));
}

TEST(SimConnection, ClosesWhenAsked) {
  SimEngine const engine(paced(milliseconds(0), milliseconds(0)));
  Client client(engine.port());
  client.send_request("GET", "/version", "", "Connection: close\r\n");
  EXPECT_EQ(client.receive().header("connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(SimConnection, ReadsChunkedBodiesAndExpectations) {
  SimEngine const engine(paced(milliseconds(0), milliseconds(0)));
  Client client(engine.port());
  client.send(
      "POST /tokenize HTTP/1.1\r\nHost: e\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive_head().status, 100);
  client.send("8\r\n{\"prompt\r\n8\r\n\":\"abc\"}\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().json()["count"], 1);
}

TEST(SimConnection, AnswersWhatIsNotHttp) {
  SimEngine const engine(paced(milliseconds(0), milliseconds(0)));
  Client client(engine.port());
  client.send("nonsense\r\n\r\n");
  auto const answer = client.receive();
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "Invalid HTTP request received.");
  EXPECT_TRUE(client.at_end());
}

TEST(SimConnection, HoldsManyStreams) {
  auto options = paced(milliseconds(0), std::chrono::hours(1));
  options.max_num_seqs = 2000;
  SimEngine const engine(options);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 400; ++i) {
    clients.push_back(std::make_unique<Client>(engine.port()));
    clients.back()->send_request("POST", kChat, kStream);
  }
  EXPECT_TRUE(eventually([&] { return engine.stats().running == clients.size(); }));
  clients.clear();
  EXPECT_TRUE(eventually([&] { return engine.stats().connections == 0; }));
  EXPECT_EQ(engine.stats().aborted, 400U);
}

TEST(SimConnection, EndsWithItsEngine) {
  auto engine = std::make_unique<SimEngine>(paced(milliseconds(0), std::chrono::hours(1)));
  Client client(engine->port());
  client.send_request("POST", kChat, kStream);
  ASSERT_TRUE(eventually([&] { return engine->stats().running == 1; }));
  engine.reset();
  EXPECT_FALSE(client.receive().complete);
}

}  // namespace
}  // namespace kvgate::sim::test
