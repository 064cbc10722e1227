#include <string>

#include "text/jinja/expression_nodes.hpp"

namespace kvgate::jinja {

Expr* ExpressionParser::primary() {
  Token const& token = tokens_.current();
  switch (token.type) {
    case TokenType::name:
      return name_or_word();
    case TokenType::string:
      return string_literal();
    case TokenType::number:
      return constant(tokens_.next().number, token.line);
    default:
      break;
  }
  if (token.is_op("(")) return parenthesized();
  if (token.is_op("[")) return literal_list();
  if (token.is_op("{")) return literal_dict();
  syntax_error("unexpected " + quoted(describe(token)), token.line);
}

Expr* ExpressionParser::name_or_word() {
  Token const& token = tokens_.next();
  std::string_view const name = token.text;
  if (name == "true" || name == "True") return constant(Value::boolean(true), token.line);
  if (name == "false" || name == "False") return constant(Value::boolean(false), token.line);
  if (name == "none" || name == "None") return constant(Value::none(), token.line);
  auto* node = make<NameExpr>(ExprKind::name, token.line, {});
  node->name = name;
  return node;
}

Expr* ExpressionParser::string_literal() {
  int const line = tokens_.line();
  std::string_view const first = tokens_.next().text;
  if (tokens_.current().type != TokenType::string) return constant(Value::string(first), line);
  std::string joined(first);
  while (tokens_.current().type == TokenType::string) joined += tokens_.next().text;
  return constant(Value::string(arena_.copy(joined)), line);
}

Expr* ExpressionParser::parenthesized() {
  tokens_.next();
  Expr* const node = tuple_items(true, {}, true);
  tokens_.expect_op(")");
  return node;
}

Expr* ExpressionParser::literal_list() {
  int const line = tokens_.next().line;
  std::vector<Expr*> items;
  while (!tokens_.current().is_op("]")) {
    if (!items.empty()) tokens_.expect_op(",");
    if (tokens_.current().is_op("]")) break;
    items.push_back(expression());
  }
  tokens_.expect_op("]");
  return sequence(ExprKind::list, items, line);
}

Expr* ExpressionParser::literal_dict() {
  int const line = tokens_.next().line;
  std::vector<Pair> pairs;
  while (!tokens_.current().is_op("}")) {
    if (!pairs.empty()) tokens_.expect_op(",");
    if (tokens_.current().is_op("}")) break;
    Expr* const key = expression();
    tokens_.expect_op(":");
    pairs.push_back({key, expression()});
  }
  tokens_.expect_op("}");
  auto* node = make<DictExpr>(ExprKind::dict, line, {});
  for (Pair const& pair : pairs) {
    node->depth = depth_over(line, pair.value, depth_over(line, pair.key, node->depth));
  }
  depth_ = std::max(depth_, node->depth);
  node->pairs = keep(pairs);
  return node;
}

}  // namespace kvgate::jinja
