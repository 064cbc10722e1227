// Chat templates, as transformers renders them: Jinja2 3.1 in the immutable sandbox with trim_blocks, lstrip_blocks,
// loop controls, {% generation %}, transformers' tojson, raise_exception and strftime_now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/template_error.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

struct Program;

/// Bounds of one rendering; a template that reaches one stops with Failure::limit_reached.
struct Limits {
  std::uint64_t steps = 5'000'000;       ///< evaluated nodes, loop rounds and bytes / 64 that were looked at
  std::size_t output_bytes = 32 << 20;   ///< rendered text
  std::size_t scratch_bytes = 64 << 20;  ///< strings and lists made on the way
};

/// What strftime_now sees: the wall clock of the engine's time zone.
struct LocalTime {
  std::tm tm{};
  int microsecond = 0;
};
using WallClock = std::function<LocalTime()>;

/// The real clock, in this process's time zone.
LocalTime local_time_now();

struct RenderOptions {
  Limits limits;
  WallClock now = local_time_now;  ///< asked only if the template calls strftime_now
};

/// How vLLM would pass message content to this template.
enum class ContentFormat {
  string,  ///< the text parts joined with "\n"
  openai,  ///< a list of {"type": "text", "text": ...}
};

/// A compiled template. Immutable: any number of threads may render it; copies share it.
class Template {
 public:
  /// `source` is not kept. Source over 1 MiB or nested too deep is refused.
  static TemplateResult<Template> compile(std::string_view source);

  /// Renders with the entries of `globals`, a dict with string keys (messages, tools, bos_token, ...).
  TemplateResult<std::string> render(Value const& globals, RenderOptions const& options) const;

  /// vLLM's `chat_template_content_format: auto` for this template.
  ContentFormat content_format() const noexcept;

  /// jinja2.meta.find_undeclared_variables, sorted: what the template looks up in its input (includes global functions
  /// such as raise_exception that it uses).
  std::vector<std::string> const& undeclared_variables() const noexcept;

 private:
  explicit Template(std::shared_ptr<Program const> program) : program_(std::move(program)) {}

  std::shared_ptr<Program const> program_;
};

}  // namespace kvgate::jinja
