#include "text/jinja/expression_nodes.hpp"

namespace kvgate::jinja {

std::uint16_t ExpressionParser::depth_over(int line, Expr const* child, std::uint16_t depth) {
  if (!child) return depth;
  if (child->depth >= max_nesting) fail(Failure::limit_reached, "LimitError", "an expression nests too deep", line);
  return std::max<std::uint16_t>(depth, static_cast<std::uint16_t>(child->depth + 1));
}

Expr* ExpressionParser::constant(Value value, int line) {
  auto* node = make<ConstantExpr>(ExprKind::constant, line, {});
  node->value = value;
  return node;
}

Expr* ExpressionParser::binary(ExprKind kind, Expr* left, Expr* right, int line) {
  auto* node = make<BinaryExpr>(kind, line, {left, right});
  node->left = left;
  node->right = right;
  return node;
}

Expr* ExpressionParser::sequence(ExprKind kind, std::vector<Expr*> const& items, int line) {
  auto* node = make<SequenceExpr>(kind, line, {});
  for (Expr const* item : items) node->depth = depth_over(line, item, node->depth);
  depth_ = std::max(depth_, node->depth);
  node->items = keep(items);
  return node;
}

void ExpressionParser::cover(Expr* node, CallArguments const& arguments) {
  for (Expr const* argument : arguments.positional) node->depth = depth_over(node->line, argument, node->depth);
  for (KeywordExpr const& keyword : arguments.keywords)
    node->depth = depth_over(node->line, keyword.value, node->depth);
  node->depth = depth_over(node->line, arguments.star, node->depth);
  node->depth = depth_over(node->line, arguments.double_star, node->depth);
  depth_ = std::max(depth_, node->depth);
}

}  // namespace kvgate::jinja
