#include "text/tokenize/bench.hpp"

#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <fstream>

namespace kvgate::text {
namespace {

using Seconds = std::chrono::duration<double>;

Result<std::vector<std::string>> read_texts(std::string const& file) {
  std::ifstream in(file);
  if (!in) return Error(ErrorKind::bad_request, file + ": cannot be read");
  std::vector<std::string> texts;
  simdjson::dom::parser parser;
  for (std::string line; std::getline(in, line);) {
    std::string_view text;
    if (parser.parse(line)["text"].get(text)) {
      return Error(ErrorKind::bad_request, file + ":" + std::to_string(texts.size() + 1) + ": no \"text\"");
    }
    texts.emplace_back(text);
  }
  return texts;
}

struct Round {
  Seconds time{0};
  std::size_t ids = 0;
};

Result<Round> run(Tokenizer const& tokenizer, std::vector<std::string> const& texts, TokenizerScratch& scratch) {
  Round round;
  std::vector<std::uint32_t> ids;
  auto const start = std::chrono::steady_clock::now();
  for (std::string const& text : texts) {
    auto const done = tokenizer.encode(text, {}, scratch, ids);
    if (done.has_error()) return done.error();
    round.ids += ids.size();
  }
  round.time = std::chrono::steady_clock::now() - start;
  return round;
}

std::string row(char const* name, Round const& round, std::size_t bytes, std::size_t texts) {
  char line[128];
  double const seconds = round.time.count();
  std::snprintf(line, sizeof line, "%s %8.1f MB/s %10.2f us/text %8.1f ns/id\n", name,
                static_cast<double>(bytes) / seconds / 1e6, seconds * 1e6 / static_cast<double>(texts),
                seconds * 1e9 / static_cast<double>(round.ids));
  return line;
}

}  // namespace

Result<std::string> bench_report(Tokenizer const& tokenizer, std::string const& file) {
  auto const texts = read_texts(file);
  if (texts.has_error()) return texts.error();
  std::size_t bytes = 0;
  for (std::string const& text : *texts) bytes += text.size();
  TokenizerScratch scratch;
  auto const cold = run(tokenizer, *texts, scratch);
  if (cold.has_error()) return cold.error();
  auto const warm = run(tokenizer, *texts, scratch);
  if (warm.has_error()) return warm.error();
  return row("cold", *cold, bytes, texts->size()) + row("warm", *warm, bytes, texts->size()) + "texts " +
         std::to_string(texts->size()) + "  bytes " + std::to_string(bytes) + "  ids " + std::to_string(cold->ids) +
         "\n";
}

}  // namespace kvgate::text
