#include <algorithm>
#include <string>

#include "text/jinja/attributes.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/python_text.hpp"

namespace kvgate::jinja {

Value Interpreter::eval(Expr const* node) {
  switch (node->kind) {
    case ExprKind::constant:
      return static_cast<ConstantExpr const*>(node)->value;
    case ExprKind::name: {
      auto const* name = static_cast<NameExpr const*>(node);
      Value const& value = variable(name->ref);
      bool const nameless = value.is_undefined() && (!value.why_undefined() || value.why_undefined() == &kNotPassed);
      return nameless ? Value::undefined(name->missing) : value;
    }
    case ExprKind::captured:
      return captured_;
    default:
      break;
  }
  runtime_.spend(1);
  switch (node->kind) {
    case ExprKind::list:
    case ExprKind::tuple:
      return eval_sequence(static_cast<SequenceExpr const&>(*node));
    case ExprKind::dict:
      return eval_dict(static_cast<DictExpr const&>(*node));
    case ExprKind::attribute: {
      auto const* attribute = static_cast<AttributeExpr const*>(node);
      return get_attribute(runtime_, eval(attribute->object), *attribute);
    }
    case ExprKind::item: {
      auto const* item = static_cast<ItemExpr const*>(node);
      Value const object = eval(item->object);
      return get_item(runtime_, object, eval(item->index));
    }
    case ExprKind::slice:
      return eval_slice(static_cast<SliceExpr const&>(*node));
    case ExprKind::call:
      return call(static_cast<CallExpr const&>(*node));
    case ExprKind::filter:
      return filter(static_cast<FilterExpr const&>(*node));
    case ExprKind::negate:
      return negate(runtime_, eval(static_cast<UnaryExpr const*>(node)->operand));
    case ExprKind::plus:
      return plus(eval(static_cast<UnaryExpr const*>(node)->operand));
    case ExprKind::test:
    case ExprKind::logical_not:
    case ExprKind::compare:
      return Value::boolean(condition(node));
    case ExprKind::logical_and:
    case ExprKind::logical_or: {
      bool const stop_at = node->kind == ExprKind::logical_or;
      Value value;
      for (Expr const* operand : static_cast<SequenceExpr const*>(node)->items) {
        value = eval(operand);
        if (truthy(value) == stop_at) break;
      }
      return value;
    }
    case ExprKind::add:
      return eval_add(static_cast<SequenceExpr const&>(*node));
    case ExprKind::concat:
      return eval_concat(static_cast<SequenceExpr const&>(*node));
    case ExprKind::conditional:
      return eval_conditional(static_cast<ConditionalExpr const&>(*node));
    default: {
      auto const* binary = static_cast<BinaryExpr const*>(node);
      Value const left = eval(binary->left);
      return arithmetic(runtime_, node->kind, left, eval(binary->right));
    }
  }
}

// truthy(eval(node)), without a value in between where that is possible.
bool Interpreter::condition(Expr const* node) {
  switch (node->kind) {
    case ExprKind::test:
      return test(static_cast<TestExpr const&>(*node));
    case ExprKind::logical_not:
      return !condition(static_cast<UnaryExpr const*>(node)->operand);
    case ExprKind::compare:
      return compare(static_cast<CompareExpr const&>(*node));
    case ExprKind::logical_and:
    case ExprKind::logical_or: {
      bool const stop_at = node->kind == ExprKind::logical_or;
      for (Expr const* operand : static_cast<SequenceExpr const*>(node)->items) {
        if (condition(operand) == stop_at) return stop_at;
      }
      return !stop_at;
    }
    default:
      return truthy(eval(node));
  }
}

Value Interpreter::eval_sequence(SequenceExpr const& node) {
  Value* items = runtime_.arena.allocate_array<Value>(node.items.size());
  for (std::size_t i = 0; i < node.items.size(); ++i) items[i] = eval(node.items[i]);
  std::span<Value const> const all(items, node.items.size());
  return node.kind == ExprKind::list ? Value::list(all) : Value::tuple(all);
}

Value Interpreter::eval_dict(DictExpr const& node) {
  Dict* dict = Dict::create(runtime_.arena, node.pairs.size());
  for (Pair const& pair : node.pairs) {
    Value const key = eval(pair.key);
    Value const value = eval(pair.value);
    if (!hashable(key)) type_error("unhashable type: " + quoted(type_name(key)));
    dict->set(runtime_.arena, key, value);
  }
  return Value::dict(dict);
}

// Plain texts are collected and put together once; anything else goes pair by pair, as Python does.
Value Interpreter::eval_add(SequenceExpr const& node) {
  SlotStack::Mark const mark = stack_.mark();
  Value* const parts = stack_.take(node.items.size());
  std::size_t count = 0, bytes = 0, at = 0;
  Value value = eval(node.items[at++]);
  while (value.is(Kind::string)) {
    parts[count++] = value;
    bytes += value.text().size();
    if (at == node.items.size()) break;
    value = eval(node.items[at++]);
  }
  runtime_.check_size(bytes);
  Value left = value;
  bool const all_texts = count == node.items.size();
  if (count > 0) {
    char* const out = static_cast<char*>(runtime_.arena.allocate(bytes));
    char* end = out;
    for (std::size_t i = 0; i < count; ++i) end = std::copy(parts[i].text().begin(), parts[i].text().end(), end);
    left = Value::string({out, bytes});
    if (!all_texts) left = add(runtime_, left, value);
  }
  stack_.release(mark);
  if (all_texts) return left;
  while (at < node.items.size()) left = add(runtime_, left, eval(node.items[at++]));
  return left;
}

Value Interpreter::eval_concat(SequenceExpr const& node) {
  SlotStack::Mark const mark = stack_.mark();
  Value* const parts = stack_.take(node.items.size());
  for (std::size_t i = 0; i < node.items.size(); ++i) parts[i] = eval(node.items[i]);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    parts[i] = Value::string(str_of(runtime_, parts[i]));
    bytes += parts[i].text().size();
  }
  runtime_.check_size(bytes);
  char* const out = static_cast<char*>(runtime_.arena.allocate(bytes));
  char* end = out;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    end = std::copy(parts[i].text().begin(), parts[i].text().end(), end);
  }
  stack_.release(mark);
  return Value::string({out, bytes});
}

Value Interpreter::eval_slice(SliceExpr const& node) {
  Value const object = eval(node.object);
  Value const start = eval_optional(node.start);
  Value const stop = eval_optional(node.stop);
  return slice(runtime_, object, start, stop, eval_optional(node.step));
}

Value Interpreter::eval_conditional(ConditionalExpr const& node) {
  if (condition(node.test)) return eval(node.then);
  if (node.otherwise) return eval(node.otherwise);
  return runtime_.undefined(Missing::Why::hint, "the inline if-expression on line " + std::to_string(node.line) +
                                                    " evaluated to false and no else section was defined.");
}

bool Interpreter::compare(CompareExpr const& node) {
  Value left = eval(node.first);
  for (Comparison const& comparison : node.rest) {
    Value const right = eval(comparison.operand);
    if (!holds(left, comparison.op, right)) return false;
    left = right;
  }
  return true;
}

bool Interpreter::holds(Value const& left, CompareOp op, Value const& right) {
  switch (op) {
    case CompareOp::equal:
      return equals(runtime_, left, right);
    case CompareOp::not_equal:
      return !equals(runtime_, left, right);
    case CompareOp::in:
      return contains(runtime_, right, left);
    case CompareOp::not_in:
      return !contains(runtime_, right, left);
    default:
      return ordered(runtime_, op, left, right);
  }
}

}  // namespace kvgate::jinja
