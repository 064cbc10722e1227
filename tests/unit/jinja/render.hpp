// Short ways to render in tests.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/json_reader.hpp"
#include "text/jinja/template.hpp"

namespace kvgate::jinja {

inline RenderOptions test_options() {
  RenderOptions options;
  options.now = [] {
    LocalTime time;
    time.tm.tm_year = 125;
    time.tm.tm_mon = 2;
    time.tm.tm_mday = 9;
    time.tm.tm_hour = 14;
    time.tm.tm_min = 5;
    time.tm.tm_sec = 7;
    time.microsecond = 42;
    return time;
  };
  return options;
}

/// The text, or "Type: message" of the error.
inline std::string render(std::string_view source, std::string_view json = "{}",
                          RenderOptions const& options = test_options()) {
  auto const compiled = Template::compile(source);
  if (!compiled) return compiled.error().type + ": " + compiled.error().message;
  Arena arena;
  auto const globals = parse_json(json, arena);
  if (!globals) return "bad json";
  auto const text = compiled->render(*globals, options);
  return text ? *text : text.error().type + ": " + text.error().message;
}

}  // namespace kvgate::jinja
