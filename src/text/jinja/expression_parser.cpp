#include "text/jinja/expression_parser.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "text/jinja/expression_nodes.hpp"

namespace kvgate::jinja {

Expr* ExpressionParser::tuple(bool with_if, std::string_view end_word) {
  return tuple_items(with_if, end_word, false);
}

bool ExpressionParser::at_tuple_end(std::string_view end_word) const {
  Token const& token = tokens_.current();
  if (token.type == TokenType::variable_end || token.type == TokenType::block_end || token.is_op(")")) return true;
  return !end_word.empty() && token.is_name(end_word);
}

Expr* ExpressionParser::tuple_items(bool with_if, std::string_view end_word, bool parentheses) {
  int const line = tokens_.line();
  std::vector<Expr*> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) tokens_.expect_op(",");
    if (at_tuple_end(end_word)) break;
    items.push_back(with_if ? expression() : expression_without_if());
    if (!tokens_.current().is_op(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !items.empty()) return items.front();
  if (!is_tuple && !parentheses) {
    syntax_error("Expected an expression, got " + quoted(describe(tokens_.current())), tokens_.line());
  }
  return sequence(ExprKind::tuple, items, line);
}

Expr* ExpressionParser::conditional() {
  Nesting const nesting(*this);
  int line = tokens_.line();
  Expr* node = logical_or();
  while (tokens_.skip_name("if")) {
    Expr* const condition = logical_or();
    Expr* const otherwise = tokens_.skip_name("else") ? conditional() : nullptr;
    auto* choice = make<ConditionalExpr>(ExprKind::conditional, line, {condition, node, otherwise});
    choice->test = condition;
    choice->then = node;
    choice->otherwise = otherwise;
    node = choice;
    line = tokens_.line();
  }
  return node;
}

Expr* ExpressionParser::logical_or() {
  int const line = tokens_.line();
  std::vector<Expr*> operands{logical_and()};
  while (tokens_.skip_name("or")) operands.push_back(logical_and());
  return operands.size() == 1 ? operands.front() : sequence(ExprKind::logical_or, operands, line);
}

Expr* ExpressionParser::logical_and() {
  int const line = tokens_.line();
  std::vector<Expr*> operands{logical_not()};
  while (tokens_.skip_name("and")) operands.push_back(logical_not());
  return operands.size() == 1 ? operands.front() : sequence(ExprKind::logical_and, operands, line);
}

Expr* ExpressionParser::logical_not() {
  int const line = tokens_.line();
  if (!tokens_.skip_name("not")) return compare();
  Nesting const nesting(*this);
  Expr* const operand = logical_not();
  auto* node = make<UnaryExpr>(ExprKind::logical_not, line, {operand});
  node->operand = operand;
  return node;
}

Expr* ExpressionParser::compare() {
  static constexpr std::pair<std::string_view, CompareOp> operators[] = {
      {"==", CompareOp::equal},      {"!=", CompareOp::not_equal}, {"<", CompareOp::less},
      {"<=", CompareOp::less_equal}, {">", CompareOp::greater},    {">=", CompareOp::greater_equal}};
  int const line = tokens_.line();
  Expr* const first = sum();
  std::vector<Comparison> rest;
  while (true) {
    Token const& token = tokens_.current();
    auto const* found = std::find_if(std::begin(operators), std::end(operators),
                                     [&token](auto const& row) { return token.is_op(row.first); });
    if (found != std::end(operators)) {
      tokens_.next();
      rest.push_back({found->second, sum()});
    } else if (tokens_.skip_name("in")) {
      rest.push_back({CompareOp::in, sum()});
    } else if (token.is_name("not") && tokens_.look().is_name("in")) {
      tokens_.next();
      tokens_.next();
      rest.push_back({CompareOp::not_in, sum()});
    } else {
      break;
    }
  }
  if (rest.empty()) return first;
  auto* node = make<CompareExpr>(ExprKind::compare, line, {first});
  for (Comparison const& comparison : rest) node->depth = depth_over(line, comparison.operand, node->depth);
  depth_ = std::max(depth_, node->depth);
  node->first = first;
  node->rest = keep(rest);
  return node;
}

// a + b + c is one node: text is then put together once.
Expr* ExpressionParser::sum() {
  int const line = tokens_.line();
  std::vector<Expr*> terms{concat()};
  auto const fold = [&] {
    if (terms.size() > 1) terms = {sequence(ExprKind::add, terms, line)};
    return terms.front();
  };
  while (true) {
    if (tokens_.skip_op("+")) {
      terms.push_back(concat());
    } else if (tokens_.skip_op("-")) {
      Expr* const left = fold();
      terms = {binary(ExprKind::subtract, left, concat(), line)};
    } else {
      return fold();
    }
  }
}

Expr* ExpressionParser::concat() {
  int const line = tokens_.line();
  std::vector<Expr*> parts{product()};
  while (tokens_.skip_op("~")) parts.push_back(product());
  return parts.size() == 1 ? parts.front() : sequence(ExprKind::concat, parts, line);
}

Expr* ExpressionParser::product() {
  static constexpr std::pair<std::string_view, ExprKind> operators[] = {
      {"*", ExprKind::multiply}, {"/", ExprKind::divide}, {"//", ExprKind::floor_divide}, {"%", ExprKind::modulo}};
  int const line = tokens_.line();
  Expr* node = power();
  while (true) {
    Token const& token = tokens_.current();
    auto const* found = std::find_if(std::begin(operators), std::end(operators),
                                     [&token](auto const& row) { return token.is_op(row.first); });
    if (found == std::end(operators)) return node;
    tokens_.next();
    node = binary(found->second, node, power(), line);
  }
}

Expr* ExpressionParser::power() {
  int const line = tokens_.line();
  Expr* node = unary(true);
  while (tokens_.skip_op("**")) node = binary(ExprKind::power, node, unary(true), line);
  return node;
}

Expr* ExpressionParser::unary(bool with_filter) {
  Nesting const nesting(*this);
  int const line = tokens_.line();
  bool const minus = tokens_.current().is_op("-");
  Expr* node = nullptr;
  if (minus || tokens_.current().is_op("+")) {
    tokens_.next();
    Expr* const operand = unary(false);
    auto* sign = make<UnaryExpr>(minus ? ExprKind::negate : ExprKind::plus, line, {operand});
    sign->operand = operand;
    node = sign;
  } else {
    node = primary();
  }
  node = postfix(node);
  return with_filter ? filters_and_tests(node) : node;
}

}  // namespace kvgate::jinja
