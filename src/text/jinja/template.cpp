#include "text/jinja/template.hpp"

#include <new>

#include "text/jinja/content_format.hpp"
#include "text/jinja/fold.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/parser.hpp"
#include "text/jinja/program.hpp"
#include "text/jinja/resolver.hpp"
#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {
namespace {

constexpr std::size_t kMaxSource = 1 << 20;

TemplateError too_large(std::string message) {
  return {Failure::limit_reached, "LimitError", std::move(message), 0};
}

}  // namespace

TemplateResult<Template> Template::compile(std::string_view source) {
  if (source.size() > kMaxSource) return too_large("the template is over 1 MiB");
  try {
    auto program = std::make_shared<Program>();
    ParsedTemplate const parsed = parse_template(source, program->arena);
    program->body = parsed.body;
    program->function.depth = parsed.depth;
    program->content_format = detect_content_format(program->body);
    resolve(*program);
    fold_constants(*program);
    return Template(std::move(program));
  } catch (Thrown& thrown) {
    return std::move(thrown.error);
  }
}

TemplateResult<std::string> Template::render(Value const& globals, RenderOptions const& options) const {
  Arena arena(options.limits.scratch_bytes);
  Interpreter interpreter(arena, options);
  try {
    return interpreter.run(*program_, globals);
  } catch (Thrown& thrown) {
    if (thrown.error.line == 0) thrown.error.line = interpreter.line();
    return std::move(thrown.error);
  } catch (ArenaFull const&) {
    TemplateError error = too_large("the template makes texts or lists that are too long");
    error.line = interpreter.line();
    return error;
  }
}

ContentFormat Template::content_format() const noexcept {
  return program_->content_format;
}

std::vector<std::string> const& Template::undeclared_variables() const noexcept {
  return program_->undeclared;
}

}  // namespace kvgate::jinja
