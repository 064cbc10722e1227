// Rendering a 20-turn chat with tools, for each template found.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "text/jinja/json_reader.hpp"
#include "text/jinja/template.hpp"

namespace {

using namespace kvgate::jinja;
namespace fs = std::filesystem;

std::string read_file(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string chat() {
  std::string messages = R"({"role":"system","content":"You are a helpful assistant that answers briefly."})";
  for (int turn = 0; turn < 10; ++turn) {
    messages += R"(,{"role":"user","content":"Question )" + std::to_string(turn) +
                R"(: how do I keep the prefix of a conversation in the cache of one engine, and what does it cost?"})"
                R"(,{"role":"assistant","content":"Send all turns of one conversation to the same engine. What it has )"
                R"(computed for the earlier turns is then reused, and only the new text costs time."})";
  }
  std::string tools;
  for (char const* name : {"get_weather", "search_documents", "run_query"}) {
    tools += std::string(tools.empty() ? "" : ",") + R"({"type":"function","function":{"name":")" + name +
             R"(","description":"Looks something up and tells what it found.","parameters":{"type":"object",)"
             R"("properties":{"query":{"type":"string","description":"What to look for"},"limit":{"type":"integer",)"
             R"("minimum":1,"default":10},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},)"
             R"("required":["query"]}}})";
  }
  return R"({"messages":[)" + messages + R"(,{"role":"user","content":"And the next step?"}],"tools":[)" + tools +
         R"(],"add_generation_prompt":true,"bos_token":"<s>","eos_token":"</s>"})";
}

struct Case {
  Arena arena;
  std::string json = chat();
  Value globals = *parse_json(json, arena);
};

void render(benchmark::State& state, Template const& compiled, Case const& input) {
  RenderOptions const options;
  std::size_t bytes = 0;
  for (auto _ : state) {
    auto const text = compiled.render(input.globals, options);
    bytes = text ? text->size() : 0;
    benchmark::DoNotOptimize(text);
  }
  state.counters["out"] = static_cast<double>(bytes);
}

void read_chat(benchmark::State& state) {
  std::string const json = chat();
  for (auto _ : state) {
    Arena arena;
    benchmark::DoNotOptimize(parse_json(json, arena));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * json.size()));
}

constexpr std::string_view kChatMl =
    "{%- if tools %}<|im_start|>system\n{%- for tool in tools %}\n{{ tool | tojson }}{% endfor %}<|im_end|>\n{% endif "
    "%}"
    "{% for message in messages %}<|im_start|>{{ message.role + '\n' + message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

void add(std::string const& name, std::string_view source, std::shared_ptr<Case const> const& input) {
  auto const compiled = Template::compile(source);
  if (!compiled || !compiled->render(input->globals, {})) return;
  benchmark::RegisterBenchmark(("render/" + name).c_str(), [compiled = *compiled, input](benchmark::State& state) {
    render(state, compiled, *input);
  });
}

}  // namespace

// KVGATE_TEMPLATES names a folder of .jinja files (../shared/data/tokens/chat_templates unless it is set).
int main(int argc, char** argv) {
  char const* const folder = std::getenv("KVGATE_TEMPLATES");
  fs::path const templates = folder ? folder : "../shared/data/tokens/chat_templates";
  auto const input = std::make_shared<Case const>();
  benchmark::RegisterBenchmark("read_chat", read_chat);
  add("chatml", kChatMl, input);
  std::error_code missing;
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(templates, missing)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (fs::path const& file : files) add(file.stem(), read_file(file), input);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
