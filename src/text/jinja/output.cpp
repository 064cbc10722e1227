#include "text/jinja/call_frame.hpp"
#include "text/jinja/filters.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/json_filter.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/python_text.hpp"

namespace kvgate::jinja {

// As eval and str(), but without a text in between where that is possible.
void Interpreter::emit(Expr const* node) {
  switch (node->kind) {
    case ExprKind::concat:
      for (Expr const* part : static_cast<SequenceExpr const*>(node)->items) emit(part);
      return;
    case ExprKind::add:
      return emit_add(static_cast<SequenceExpr const&>(*node));
    case ExprKind::call:
      return emit_call(static_cast<CallExpr const&>(*node));
    case ExprKind::conditional: {
      auto const* choice = static_cast<ConditionalExpr const*>(node);
      if (condition(choice->test)) return emit(choice->then);
      if (choice->otherwise) emit(choice->otherwise);
      return;
    }
    case ExprKind::filter:
      if (static_cast<FilterExpr const*>(node)->function == filter_tojson) {
        return emit_json(static_cast<FilterExpr const&>(*node));
      }
      break;
    default:
      break;
  }
  emit_value(eval(node));
}

void Interpreter::emit_value(Value const& value) {
  if (value.is_string()) return write(value.text());
  append_str(runtime_, out_, value);
  if (out_.size() > most_output_) over_limit("the output becomes too long");
}

// Text after text goes out as it comes. What is not text takes back what was written, for Python's own addition.
void Interpreter::emit_add(SequenceExpr const& node) {
  std::size_t const from = out_.size();
  std::size_t at = 0;
  Value value = eval(node.items[at++]);
  bool any = false;
  while (value.is(Kind::string)) {
    write(value.text());
    any = true;
    if (at == node.items.size()) return;
    value = eval(node.items[at++]);
  }
  if (any) value = add(runtime_, take_output(from), value);
  while (at < node.items.size()) value = add(runtime_, value, eval(node.items[at++]));
  emit_value(value);
}

void Interpreter::emit_call(CallExpr const& node) {
  if (node.function->kind != ExprKind::name) return emit_value(call(node));
  Value const function = eval(node.function);
  CallFrame const frame(*this, node.arguments);
  if (auto const* macro = object_as<MacroObject>(function, ObjectKind::macro)) {
    return emit_macro(*macro, frame.arguments());
  }
  emit_value(call_value(function, frame.arguments()));
}

void Interpreter::emit_json(FilterExpr const& node) {
  Value const subject = eval(node.subject);
  CallFrame const frame(*this, node.arguments);
  append_json(runtime_, out_, subject, json_style(runtime_, frame.arguments()), most_output_);
}

}  // namespace kvgate::jinja
