// Each fault as a client meets it.
#include <gtest/gtest.h>

#include "sim/engine.hpp"
#include "unit/sim/client.hpp"

namespace kvgate::sim::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

SimOptions fast() {
  SimOptions options;
  options.prefill_base = options.prefill_per_block = options.inter_token = std::chrono::microseconds(0);
  options.dev_mode = true;
  return options;
}

std::string const kChat = "/v1/chat/completions";
std::string const kStream = R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":8,"stream":true})";
std::string const kWhole = R"({"messages":[{"role":"user","content":"hi"}],"max_tokens":8})";

class SimFault : public testing::Test {
 protected:
  Response chat(std::string const& body, std::string const& header_fault = {}) {
    client_.emplace(engine_.port());
    client_->send_request("POST", kChat, body, header_fault.empty() ? "" : "x-sim-fault: " + header_fault + "\r\n");
    return client_->receive();
  }

  void expect_healthy_again() {
    EXPECT_EQ(chat(kWhole).status, 200);
    EXPECT_EQ(engine_.stats().aborted, 0U) << "it was the engine that left";
  }

  SimEngine engine_{fast()};
  std::optional<Client> client_;
};

TEST_F(SimFault, NothingIsAnsweredBeforeTheHead) {
  EXPECT_EQ(chat(kWhole, "reset-before-head").status, 0);
  EXPECT_TRUE(client_->was_reset());
  EXPECT_EQ(chat(kWhole, "close-before-head").status, 0);
  EXPECT_FALSE(client_->was_reset());
  expect_healthy_again();
}

TEST_F(SimFault, OnlyTheHeadIsAnswered) {
  for (auto const& body : {kStream, kWhole}) {
    auto const answer = chat(body, "close-after-head");
    EXPECT_EQ(answer.status, 200);
    EXPECT_FALSE(answer.complete);
    EXPECT_EQ(answer.body, "");
    EXPECT_FALSE(client_->was_reset());
  }
  expect_healthy_again();
}

TEST_F(SimFault, EndsInMidStream) {
  for (std::string const kind : {"reset", "close"}) {
    auto const answer = chat(kStream, kind + "-mid-stream;after=3");
    EXPECT_LE(answer.chunks.size(), 3U);
    EXPECT_FALSE(answer.complete);
    EXPECT_EQ(client_->was_reset(), kind == "reset");
  }
  EXPECT_EQ(chat(kStream, "close-mid-stream;after=3").chunks.size(), 3U);
  EXPECT_EQ(chat(kStream, "close-mid-stream;after=0").chunks.size(), 0U);
  auto const half = chat(kWhole, "close-mid-stream");
  EXPECT_FALSE(half.complete);
  EXPECT_GT(half.body.size(), 100U);
  expect_healthy_again();
}

TEST_F(SimFault, StallsUntilTheClientLeaves) {
  Client client(engine_.port());
  client.send_request("POST", kChat, kStream, "x-sim-fault: stall;after=2\r\n");
  client.receive_head();
  EXPECT_TRUE(client.receive_chunk() && client.receive_chunk());
  client.set_timeout(50);
  EXPECT_EQ(client.receive_chunk(), std::nullopt);
  EXPECT_EQ(engine_.stats().connections, 1U);
  client.close(false);
  EXPECT_TRUE(eventually([&] { return engine_.stats().aborted == 1 && engine_.stats().connections == 0; }));
}

TEST_F(SimFault, HangsUntilTheClientLeaves) {
  Client client(engine_.port());
  client.send_request("POST", kChat, kWhole, "x-sim-fault: hang\r\n");
  ASSERT_TRUE(eventually([&] { return engine_.stats().faults == 1; }));
  client.set_timeout(50);
  EXPECT_EQ(client.receive().status, 0);
  client.close(true);
  EXPECT_TRUE(eventually([&] { return engine_.stats().aborted == 1; }));
}

TEST_F(SimFault, AnswersAStatus) {
  struct Case {
    char const* fault;
    int status;
    char const* retry_after;
  };
  Case const cases[] = {
      {"500", 500, ""}, {"503", 503, ""}, {"503;retry_after=2", 503, "2"}, {"429;retry_after=1", 429, "1"}};
  for (auto const& c : cases) {
    auto const answer = chat(kStream, c.fault);
    EXPECT_EQ(answer.status, c.status);
    EXPECT_EQ(answer.header("retry-after"), c.retry_after) << c.fault;
    EXPECT_EQ(answer.json()["error"]["code"], c.status);
  }
  EXPECT_EQ(engine_.stats().finished, 0U);
}

TEST_F(SimFault, AnswersLate) {
  auto const begin = steady_clock::now();
  EXPECT_EQ(chat(kWhole, "slow-head;ms=80").status, 200);
  EXPECT_GE(steady_clock::now() - begin, milliseconds(80));
}

TEST_F(SimFault, ControlEndpointHitsTheNextRequestsOnly) {
  auto const set = request(engine_.port(), "POST", "/sim/fault", R"({"kind":503,"count":2,"retry_after":4})");
  EXPECT_EQ(set.status, 200);
  EXPECT_EQ(request(engine_.port(), "GET", "/health").status, 200) << "probes are not hit";
  EXPECT_EQ(chat(kWhole).header("retry-after"), "4");
  EXPECT_EQ(chat(kWhole).status, 503);
  EXPECT_EQ(chat(kWhole).status, 200);
  EXPECT_EQ(engine_.stats().faults, 2U);
}

TEST_F(SimFault, UnknownFaultsAreRefused) {
  EXPECT_EQ(request(engine_.port(), "POST", "/sim/fault", R"({"kind":"explode"})").status, 400);
  EXPECT_EQ(request(engine_.port(), "POST", "/sim/fault", R"({"kind":"stall","then":1})").status, 400);
  EXPECT_EQ(chat(kWhole, "explode").status, 400);
  EXPECT_THROW(engine_.fault("explode"), std::invalid_argument);
}

TEST_F(SimFault, RefusesConnectionsForAWhile) {
  Client established(engine_.port());
  established.send_request("GET", "/version");
  EXPECT_EQ(established.receive().status, 200);
  engine_.fault("refuse;ms=1000");
  EXPECT_FALSE(Client(engine_.port()).connected());
  established.send_request("GET", "/version");
  EXPECT_EQ(established.receive().status, 200) << "what is connected stays connected";
  EXPECT_TRUE(eventually([&] { return Client(engine_.port()).connected(); }));
  expect_healthy_again();
}

TEST_F(SimFault, HealthIsDownSoOftenOrUntilCleared) {
  auto const health = [&] { return request(engine_.port(), "GET", "/health").status; };
  engine_.fault("health-down;count=2");
  EXPECT_EQ(health(), 503);
  EXPECT_EQ(health(), 503);
  EXPECT_EQ(health(), 200);
  engine_.fault("health-down");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(health(), 503);
  EXPECT_EQ(chat(kWhole).status, 200) << "only the probe fails";
  engine_.reset();
  EXPECT_EQ(health(), 200);
}

TEST_F(SimFault, SleepsUntilWoken) {
  engine_.fault("sleeping");
  EXPECT_EQ(request(engine_.port(), "GET", "/is_sleeping").json()["is_sleeping"], true);
  EXPECT_NE(request(engine_.port(), "GET", "/metrics").body.find("sleep_state=\"awake\"} 0.0"), std::string::npos);
  Client client(engine_.port());
  client.send_request("POST", kChat, kWhole);
  ASSERT_TRUE(eventually([&] { return engine_.stats().waiting == 1; }));
  EXPECT_EQ(request(engine_.port(), "POST", "/wake_up").status, 200);
  EXPECT_EQ(client.receive().status, 200);
}

}  // namespace
}  // namespace kvgate::sim::test
