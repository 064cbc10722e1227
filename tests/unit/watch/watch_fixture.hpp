// A fleet and a control thread's io_context for the tests of watch/.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/stub_engine.hpp"
#include "tokens/table.hpp"
#include "watch/engine.hpp"
#include "watch/watch.hpp"

namespace kvgate::watch {

using namespace std::chrono_literals;
using fleet::Health;
using test::http_answer;
using test::run_until;
using test::StubEngine;

inline std::string models_answer(std::string const& id) {
  return http_answer(200, R"({"object":"list","data":[{"id":")" + id + R"(","object":"model","parent":null}]})");
}

inline std::optional<std::string> healthy_engine(std::string const& request) {
  if (request.starts_with("GET /v1/models ")) return models_answer("tiny");
  return http_answer(200, request.starts_with("GET /metrics ") ? "vllm:num_requests_running 0\n" : "");
}

class WatchTest : public testing::Test {
 protected:
  WatchTest() {
    // Nothing happens twice by itself unless a test says so.
    config.health.interval = 1h;
    config.models.refresh = 1h;
    config.engine_stats.interval = 1h;
    registry.on_transition([this](fleet::Transition const& t) { reasons.emplace_back(t.reason); });
  }
  ~WatchTest() override { stop(); }

  /// Lives as long as the fixture.
  StubEngine& stub(StubEngine::Script script) { return *stubs.emplace_back(new StubEngine(io, std::move(script))); }

  static EngineSpec spec_of(EngineUrl url) {
    EngineSpec spec;
    spec.url = std::move(url);
    return spec;
  }

  void start(std::vector<EngineSpec> engines) {
    registry.set_engines(std::move(engines), {});
    watch = std::make_unique<Watch>(Context{io, registry, config, tokens, tls, Random(1), lookup, pace});
    watch->start();
  }

  /// What is left to do ends promptly, or the test hangs.
  void stop() {
    if (watch) watch->stop();
    for (auto const& engine : stubs) engine->close();
    io.restart();
    io.run();
    watch.reset();
  }

  fleet::EndpointSet const& fleet() { return *(held = registry.current()); }
  std::shared_ptr<fleet::Endpoint> endpoint(std::size_t i = 0) { return fleet().members.at(i).endpoint; }
  Health health(std::size_t i = 0) { return endpoint(i)->health(); }
  bool serves(std::string const& model, std::size_t i = 0) {
    auto const* entry = fleet().find_model(model);
    return entry && entry->by_member.at(i);
  }

  net::io_context io;
  config::Config config;
  ComputePool pool{1, 8};
  tokens::Table tokens{config.tokenizers, pool, [](auto const&, auto const&) { return tokens::Loaded{}; }};
  fleet::Registry registry{[](auto) { return 0u; }, [](auto) { return 0u; }, 1};
  http::TlsContext tls{"", false};
  http::Lookup lookup = http::system_lookup;
  Pace pace;
  std::vector<std::string> reasons;
  std::vector<std::unique_ptr<StubEngine>> stubs;
  std::unique_ptr<Watch> watch;
  std::shared_ptr<fleet::EndpointSet const> held;
};

}  // namespace kvgate::watch
