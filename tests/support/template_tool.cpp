// Renders templates for tests in Python: one JSON object per line in, one out.
//   {"template": SOURCE, "inputs": [{...}, ...]}
//   -> {"compile_error": ERROR} or {"format": ..., "undeclared": [...], "results": [{"text": ...} or {"error": ERROR}]}
// with ERROR = {"failure", "type", "message", "line"}. The clock stands at 2025-03-09T14:05:07.
#include <iostream>
#include <string>
#include <vector>

#include "text/jinja/dict.hpp"
#include "text/jinja/json_reader.hpp"
#include "text/jinja/json_writer.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/template.hpp"

namespace {

using namespace kvgate::jinja;

LocalTime fixed_time() {
  LocalTime time;
  std::tm tm{};
  tm.tm_year = 125;
  tm.tm_mon = 2;
  tm.tm_mday = 9;
  tm.tm_hour = 14;
  tm.tm_min = 5;
  tm.tm_sec = 7;
  tm.tm_yday = 67;
  time.tm = tm;
  return time;
}

class Answer {
 public:
  explicit Answer(Arena& arena) : arena_(arena) {}

  Value error(TemplateError const& error) {
    Dict* dict = Dict::create(arena_);
    dict->set(arena_, "failure", text(to_string(error.failure)));
    dict->set(arena_, "type", text(error.type));
    dict->set(arena_, "message", text(error.message));
    dict->set(arena_, "line", Value::integer(error.line));
    return Value::dict(dict);
  }

  Value result(TemplateResult<std::string> const& rendered) {
    return rendered ? object("text", text(*rendered)) : object("error", error(rendered.error()));
  }

  Value object(std::string_view key, Value value) {
    Dict* dict = Dict::create(arena_);
    dict->set(arena_, key, value);
    return Value::dict(dict);
  }

  Value text(std::string_view text) { return Value::string(arena_.copy(text)); }

 private:
  Arena& arena_;
};

Value answer(Value const& request, Arena& arena) {
  Answer build(arena);
  auto const compiled = Template::compile(request.get("template").text());
  if (!compiled) return build.object("compile_error", build.error(compiled.error()));
  RenderOptions options;
  options.now = fixed_time;
  std::vector<Value> results, undeclared;
  for (Value const& input : request.get("inputs").items())
    results.push_back(build.result(compiled->render(input, options)));
  for (std::string const& name : compiled->undeclared_variables()) undeclared.push_back(build.text(name));
  Runtime runtime(arena, {}, options.now);
  Dict* dict = Dict::create(arena);
  dict->set(arena, "format", build.text(compiled->content_format() == ContentFormat::openai ? "openai" : "string"));
  dict->set(arena, "undeclared", runtime.list(undeclared));
  dict->set(arena, "results", runtime.list(results));
  return Value::dict(dict);
}

}  // namespace

int main() {
  WallClock const clock = fixed_time;
  for (std::string line; std::getline(std::cin, line);) {
    Arena arena;
    Limits limits;
    limits.steps = 1'000'000'000;
    limits.scratch_bytes = 1 << 30;
    Runtime runtime(arena, limits, clock);
    auto const request = parse_json(line, arena);
    std::string out;
    if (request) {
      append_json(runtime, out, answer(*request, arena), {}, Arena::unlimited);
    } else {
      out = "{\"bad_request\": \"" + request.error().message + "\"}";
    }
    std::cout << out << std::endl;
  }
}
