// What reading a prompt costs: the parser's pass, the block hashes and the SimHash, by size of the body.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "prefix/prompt_text.hpp"
#include "prompt_bodies.hpp"

namespace {

using namespace kvgate;

constexpr std::string_view kPlain = "The quick brown fox jumps over the lazy dog near the river bank. ";
constexpr std::string_view kLines = R"(The quick brown fox jumps over the lazy dog near the river.\n)";
constexpr std::string_view kAccents = R"(ten bytes.\u00e9)";

void parse(benchmark::State& state) {
  auto body = bench::chat_body(static_cast<std::size_t>(state.range(0)), kPlain);
  auto const size = body.size();
  body.resize(size + openai::kBodyPadding);
  std::vector<std::string> const fields(static_cast<std::size_t>(state.range(1)), "x-session-id");
  openai::RequestParser parser;
  for (auto _ : state) {
    benchmark::DoNotOptimize(parser.parse_json(openai::ApiKind::chat, std::string_view(body).substr(0, size), fields));
  }
}
BENCHMARK(parse)->ArgNames({"bytes", "fields"})->ArgsProduct({{1 << 10, 32 << 10}, {0, 1, 8}});

void hash_prompt(benchmark::State& state, openai::ApiKind api, std::string body) {
  bench::ParsedBody const parsed(api, std::move(body));
  prefix::PromptBlocks blocks;
  for (auto _ : state) {
    prefix::hash_prompt(parsed.view(), 1, blocks);
    benchmark::DoNotOptimize(blocks.hashes.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * blocks.text_bytes));
}

void chat(benchmark::State& state, std::string_view words) {
  hash_prompt(state, openai::ApiKind::chat, bench::chat_body(static_cast<std::size_t>(state.range(0)), words));
}
BENCHMARK_CAPTURE(chat, plain, kPlain)->Arg(1 << 10)->Arg(4 << 10)->Arg(32 << 10)->Arg(128 << 10);
BENCHMARK_CAPTURE(chat, lines, kLines)->Arg(4 << 10)->Arg(32 << 10)->Arg(128 << 10);
BENCHMARK_CAPTURE(chat, accents, kAccents)->Arg(4 << 10)->Arg(32 << 10)->Arg(128 << 10);

/// Compact or with the blanks that Python writes by default.
void tools(benchmark::State& state, bool blanks) {
  std::string json = R"({"tools": [)";
  while (json.size() < static_cast<std::size_t>(state.range(0))) {
    json += R"({"type": "function", "function": {"name": "read_file", "description": "Reads a file.\n\nSays \"no\".", )"
            R"("parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}, )";
  }
  json += R"({}], "messages": [{"role": "user", "content": "hi"}]})";
  if (!blanks) json.erase(std::remove(json.begin(), json.end(), ' '), json.end());
  hash_prompt(state, openai::ApiKind::chat, std::move(json));
}
BENCHMARK_CAPTURE(tools, compact, false)->Arg(32 << 10);
BENCHMARK_CAPTURE(tools, blanks, true)->Arg(32 << 10);

void token_ids(benchmark::State& state) {
  std::string json = R"({"prompt":[1)";
  while (json.size() < static_cast<std::size_t>(state.range(0))) json += ",12345";
  hash_prompt(state, openai::ApiKind::completions, json + "]}");
}
BENCHMARK(token_ids)->Arg(32 << 10);

void simhash(benchmark::State& state) {
  bench::ParsedBody const parsed(openai::ApiKind::chat, bench::chat_body(32 << 10, kPlain));
  for (auto _ : state) benchmark::DoNotOptimize(prefix::prompt_simhash(parsed.view()));
}
BENCHMARK(simhash);

}  // namespace
