#include "text/chat/python_json.hpp"

#include "text/jinja/json_writer.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::text {

Outcome<std::string> python_json(Value const& value) {
  jinja::Arena arena;
  jinja::Limits const limits;
  jinja::WallClock const clock;
  jinja::Runtime runtime(arena, limits, clock);
  std::string out;
  try {
    jinja::append_json(runtime, out, value, {.ensure_ascii = true}, limits.output_bytes);
  } catch (jinja::Thrown const& thrown) {
    return cannot_tell(Unknown::size, thrown.error.message);
  }
  return out;
}

}  // namespace kvgate::text
