#include "text/tokenize/main.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <sstream>

#include "text/tokenize/bench.hpp"
#include "text/tokenize/line_encoder.hpp"
#include "text/tokenize/request_encoder.hpp"

namespace kvgate::text {
namespace {

struct CommandLine {
  std::string tokenizer, bench_file, api, now, chat_template;
  bool no_special = false;
  bool general = false;
  bool chat = false;
  bool input = false;
};

void declare(CLI::App& app, CommandLine& line) {
  app.add_option("--tokenizer", line.tokenizer, "tokenizer.json, or the folder that has it")->required();
  app.add_flag("--no-special", line.no_special, "Without the special tokens that a post-processor adds");
  app.add_flag("--general", line.general, "The general way, even where there is a fast one");
  app.add_option("--bench", line.bench_file, "Measure with the texts of this file (lines of {\"text\": ...})");
  app.add_flag("--chat", line.chat, "Lines are bodies of /v1/chat/completions; --tokenizer is the model's folder");
  app.add_option("--api", line.api, "Lines are bodies of another API")->check([](std::string const& name) {
    return api_named(name) ? std::string() : name + " has no prompts";
  });
  app.add_flag("--input", line.input, "With --chat: what the template would be rendered with");
  app.add_option("--chat-template", line.chat_template, "A file with the template that the engine was given");
  app.add_option("--now", line.now, "Local time that templates see, 2025-03-09T14:05:07")
      ->check([](std::string const& time) { return clock_at(time) ? std::string() : time + " is not a time"; });
}

int failed(Error const& error) {
  std::fprintf(stderr, "kvgate tokenize: %s\n", error.message.c_str());
  return 1;
}

/// Writes through when no more input is waiting, so that somebody who asks line by line gets answers.
int answer_lines(LineEncoder& encoder) {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << encoder.answer(line) << '\n';
    if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();
  }
  return std::cout.flush() ? 0 : 1;
}

Result<std::string> read_file(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!file.empty()) text << in.rdbuf();
  if (!file.empty() && !in) return Error(ErrorKind::bad_request, file + ": cannot be read");
  return std::move(text).str();
}

int answer_requests(CommandLine const& line) {
  auto chat_template = read_file(line.chat_template);
  if (chat_template.has_error()) return failed(chat_template.error());
  EngineOptions engine;
  engine.chat_template = std::move(*chat_template);
  auto model = ModelAssets::load(line.tokenizer, engine);
  if (model.has_error()) return failed(model.error());
  PromptOptions options;
  if (!line.now.empty()) options.render.now = *clock_at(line.now);
  if (line.input) return answer_lines(*make_input_encoder(std::move(*model), std::move(options)));
  auto const api = line.api.empty() ? openai::ApiKind::chat : *api_named(line.api);
  return answer_lines(*make_request_encoder(std::move(*model), api, std::move(options)));
}

int run(CommandLine const& line) {
  if (line.chat || line.input || !line.api.empty()) return answer_requests(line);
  auto tokenizer = Tokenizer::load(line.tokenizer, {.general_only = line.general});
  if (tokenizer.has_error()) return failed(tokenizer.error());
  if (line.bench_file.empty()) return answer_lines(*make_text_encoder(std::move(*tokenizer), !line.no_special));
  auto const report = bench_report(**tokenizer, line.bench_file);
  if (report.has_error()) return failed(report.error());
  std::cout << *report;
  return 0;
}

}  // namespace

int tokenize_main(std::vector<std::string> args) {
  CLI::App app("Turns texts or requests into token ids: a line of {\"text\": ...} becomes one of {\"ids\": [...]}.",
               "kvgate tokenize");
  CommandLine line;
  declare(app, line);
  try {
    std::reverse(args.begin(), args.end());  // as CLI11 wants them
    app.parse(std::move(args));
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(line);
}

}  // namespace kvgate::text
