// Visiting the direct children of expressions and statements, in the order of Jinja's own visitors.
#pragma once

#include "text/jinja/ast.hpp"

namespace kvgate::jinja {

template <class Visit>
void each_argument(CallArguments& arguments, Visit&& visit) {
  for (Expr*& argument : arguments.positional) visit(argument);
  for (KeywordExpr& keyword : arguments.keywords) visit(keyword.value);
  if (arguments.star) visit(arguments.star);
  if (arguments.double_star) visit(arguments.double_star);
}

/// Calls `visit(Expr*&)` for each expression right below `node`; optional ones only if they are there. Passing the
/// pointers by reference lets the visitor replace them.
template <class Visit>
void each_child(Expr* node, Visit&& visit) {
  auto const maybe = [&visit](Expr*& child) {
    if (child) visit(child);
  };
  switch (node->kind) {
    case ExprKind::constant:
    case ExprKind::name:
    case ExprKind::captured:
      return;
    case ExprKind::list:
    case ExprKind::tuple:
    case ExprKind::add:
    case ExprKind::concat:
    case ExprKind::logical_and:
    case ExprKind::logical_or:
      for (Expr*& item : static_cast<SequenceExpr*>(node)->items) visit(item);
      return;
    case ExprKind::dict:
      for (Pair& pair : static_cast<DictExpr*>(node)->pairs) {
        visit(pair.key);
        visit(pair.value);
      }
      return;
    case ExprKind::attribute:
      return visit(static_cast<AttributeExpr*>(node)->object);
    case ExprKind::item: {
      auto* item = static_cast<ItemExpr*>(node);
      visit(item->object);
      return visit(item->index);
    }
    case ExprKind::slice: {
      auto* slice = static_cast<SliceExpr*>(node);
      visit(slice->object);
      maybe(slice->start);
      maybe(slice->stop);
      return maybe(slice->step);
    }
    case ExprKind::call: {
      auto* call = static_cast<CallExpr*>(node);
      visit(call->function);
      return each_argument(call->arguments, visit);
    }
    case ExprKind::filter: {
      auto* filter = static_cast<FilterExpr*>(node);
      visit(filter->subject);
      return each_argument(filter->arguments, visit);
    }
    case ExprKind::test: {
      auto* test = static_cast<TestExpr*>(node);
      visit(test->subject);
      return each_argument(test->arguments, visit);
    }
    case ExprKind::negate:
    case ExprKind::plus:
    case ExprKind::logical_not:
      return visit(static_cast<UnaryExpr*>(node)->operand);
    case ExprKind::compare: {
      auto* compare = static_cast<CompareExpr*>(node);
      visit(compare->first);
      for (Comparison& comparison : compare->rest) visit(comparison.operand);
      return;
    }
    case ExprKind::conditional: {
      auto* choice = static_cast<ConditionalExpr*>(node);
      visit(choice->test);
      visit(choice->then);
      return maybe(choice->otherwise);
    }
    default: {
      auto* binary = static_cast<BinaryExpr*>(node);
      visit(binary->left);
      return visit(binary->right);
    }
  }
}

/// What a statement holds, for visitors that look at everything alike. Each gets its children in Jinja's order.
struct StatementVisitor {
  virtual ~StatementVisitor() = default;
  virtual void expression(Expr*& node) = 0;
  virtual void target(Target& target) = 0;
  virtual void parameter(Parameter& parameter) = 0;
  virtual void statement(Stmt& stmt) = 0;
};

void each_child(Stmt& stmt, StatementVisitor& visitor);

}  // namespace kvgate::jinja
