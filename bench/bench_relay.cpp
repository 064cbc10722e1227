// What the relay itself costs per message: heads, chunked framing, and the look at a stream that passes.
#include <benchmark/benchmark.h>

#include <string>

#include "http/body_tracker.hpp"
#include "http/head.hpp"
#include "openai/usage.hpp"
#include "proxy/heads.hpp"

namespace {

using namespace kvgate;

std::string const kRequest =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: gate:8000\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\n"
    "Accept: application/json\r\nContent-Type: application/json\r\nUser-Agent: OpenAI/Python 3.57.0\r\n"
    "X-Stainless-Lang: python\r\nX-Stainless-Package-Version: 3.57.0\r\nX-Stainless-OS: Linux\r\n"
    "X-Stainless-Arch: x64\r\nX-Stainless-Runtime: CPython\r\nX-Stainless-Runtime-Version: 3.11.7\r\n"
    "Authorization: Bearer sk-0123456789abcdef\r\nX-Stainless-Async: false\r\nx-stainless-retry-count: 0\r\n"
    "Content-Length: 1184\r\n\r\n";

void request_head(benchmark::State& state) {
  http::RequestHead head;
  for (auto _ : state) benchmark::DoNotOptimize(http::parse_request_head(kRequest, head));
}
BENCHMARK(request_head);

void engine_head(benchmark::State& state) {
  http::RequestHead head;
  http::parse_request_head(kRequest, head);
  EngineSpec engine;
  engine.url.authority = "10.0.0.1:8000";
  std::string out;
  proxy::EngineHeadInput const in{head, "/v1/chat/completions", 1184, "0123456789abcdef0123456789abcdef", "10.1.2.3", false};
  for (auto _ : state) {
    proxy::write_engine_head(in, engine, out);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(engine_head);

/// 128 events of a chat stream, one chunk each, as an engine sends them.
std::string stream_of_128() {
  std::string const event = "data: {\"id\":\"chatcmpl-0123456789abcdef\",\"object\":\"chat.completion.chunk\",\"created\":1796038789,"
                            "\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" token\"},\"finish_reason\":null}]}\n\n";
  std::string bytes;
  char size[16];
  for (int i = 0; i < 128; ++i) {
    std::snprintf(size, sizeof size, "%zx\r\n", event.size());
    bytes.append(size).append(event).append("\r\n");
  }
  return bytes + "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
}

void stream_128_events(benchmark::State& state) {
  auto const bytes = stream_of_128();
  openai::UsageScanner usage;
  http::BodyTracker tracker;
  for (auto _ : state) {
    usage.reset();
    tracker.start(http::Framing::chunked, 0);
    tracker.feed(bytes, [&](std::string_view payload) { usage.feed(payload); });
    benchmark::DoNotOptimize(usage.usage());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes.size()));
}
BENCHMARK(stream_128_events);

}  // namespace
