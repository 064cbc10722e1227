#include <string>

#include "text/jinja/expression_nodes.hpp"
#include "text/jinja/filters.hpp"
#include "text/jinja/methods.hpp"
#include "text/jinja/tests.hpp"

namespace kvgate::jinja {

Expr* ExpressionParser::postfix(Expr* node) {
  while (true) {
    if (tokens_.current().is_op(".")) {
      node = dot(node);
    } else if (tokens_.current().is_op("[")) {
      node = subscript(node);
    } else if (tokens_.current().is_op("(")) {
      node = call(node);
    } else {
      return node;
    }
  }
}

Expr* ExpressionParser::filters_and_tests(Expr* node) {
  while (true) {
    if (tokens_.current().is_op("|")) {
      node = filters(node, false);
    } else if (tokens_.current().is_name("is")) {
      node = test(node);
    } else if (tokens_.current().is_op("(")) {
      node = call(node);
    } else {
      return node;
    }
  }
}

Expr* ExpressionParser::dot(Expr* object) {
  int const line = tokens_.next().line;
  Token const& token = tokens_.next();
  if (token.type == TokenType::number && !token.number.is(Kind::floating)) {
    auto* node = make<ItemExpr>(ExprKind::item, line, {object});
    node->object = object;
    node->index = constant(token.number, token.line);
    return node;
  }
  if (token.type != TokenType::name) syntax_error("expected name or number", token.line);
  auto* node = make<AttributeExpr>(ExprKind::attribute, line, {object});
  node->object = object;
  node->name = token.text;
  node->method = find_method(token.text);
  node->missing_in_dict = arena_.create<Missing>(Missing::Why::attribute, token.text, "dict object");
  return node;
}

// One subscript, or a tuple of them. A slice among several would make a tuple of slices, which nothing can be asked by.
Expr* ExpressionParser::subscript(Expr* object) {
  int const line = tokens_.next().line;
  std::vector<Expr*> indexes;
  while (!tokens_.current().is_op("]")) {
    if (!indexes.empty()) tokens_.expect_op(",");
    Expr* const start = tokens_.current().is_op(":") ? nullptr : expression();
    if (tokens_.current().is_op(":")) {
      Expr* const sliced = slice_from(object, start);
      if (!indexes.empty() || !tokens_.skip_op("]"))
        unsupported("a tuple of slices as subscript is not supported", line);
      return sliced;
    }
    indexes.push_back(start);
  }
  tokens_.expect_op("]");
  Expr* const index = indexes.size() == 1 ? indexes.front() : sequence(ExprKind::tuple, indexes, line);
  auto* node = make<ItemExpr>(ExprKind::item, line, {object, index});
  node->object = object;
  node->index = index;
  return node;
}

Expr* ExpressionParser::slice_from(Expr* object, Expr* start) {
  int const line = tokens_.next().line;
  Expr* const stop = optional_bound();
  Expr* const step = tokens_.skip_op(":") ? optional_bound() : nullptr;
  auto* node = make<SliceExpr>(ExprKind::slice, line, {object, start, stop, step});
  node->object = object;
  node->start = start;
  node->stop = stop;
  node->step = step;
  return node;
}

Expr* ExpressionParser::optional_bound() {
  Token const& token = tokens_.current();
  return token.is_op(":") || token.is_op("]") || token.is_op(",") ? nullptr : expression();
}

Expr* ExpressionParser::call(Expr* function) {
  int const line = tokens_.line();
  CallArguments const arguments = call_arguments();
  auto* node = make<CallExpr>(ExprKind::call, line, {function});
  cover(node, arguments);
  node->function = function;
  node->arguments = arguments;
  return node;
}

CallArguments ExpressionParser::call_arguments() {
  int const line = tokens_.line();
  auto const ensure = [line](bool fits) {
    if (!fits) syntax_error("invalid syntax for function call expression", line);
  };
  tokens_.expect_op("(");
  CallArguments arguments;
  std::vector<Expr*> positional;
  std::vector<KeywordExpr> keywords;
  bool comma = false;
  while (!tokens_.current().is_op(")")) {
    if (comma) tokens_.expect_op(",");
    if (comma && tokens_.current().is_op(")")) break;
    comma = true;
    if (tokens_.skip_op("*")) {
      ensure(!arguments.star && !arguments.double_star);
      arguments.star = expression();
    } else if (tokens_.skip_op("**")) {
      ensure(!arguments.double_star);
      arguments.double_star = expression();
    } else if (tokens_.current().type == TokenType::name && tokens_.look().is_op("=")) {
      ensure(!arguments.double_star);
      std::string_view const name = tokens_.next().text;
      for (KeywordExpr const& keyword : keywords) {
        if (keyword.name == name) syntax_error("keyword argument repeated: " + std::string(name), line);
      }
      tokens_.next();
      keywords.push_back({name, expression()});
    } else {
      ensure(!arguments.star && !arguments.double_star && keywords.empty());
      positional.push_back(expression());
    }
  }
  tokens_.expect_op(")");
  arguments.positional = keep(positional);
  arguments.keywords = keep(keywords);
  return arguments;
}

Expr* ExpressionParser::filters(Expr* subject, bool first) {
  while (first || tokens_.skip_op("|")) {
    first = false;
    Token const& token = tokens_.expect(TokenType::name, "name");
    std::string name(token.text);
    while (tokens_.skip_op(".")) name.append(".").append(tokens_.expect(TokenType::name, "name").text);
    CallArguments const arguments = tokens_.current().is_op("(") ? call_arguments() : CallArguments();
    auto* node = make<FilterExpr>(ExprKind::filter, token.line, {subject});
    cover(node, arguments);
    node->subject = subject;
    node->name = arena_.copy(name);
    node->arguments = arguments;
    node->function = find_filter(name, token.line);
    subject = node;
  }
  return subject;
}

bool ExpressionParser::test_has_argument() const {
  Token const& token = tokens_.current();
  if (token.type == TokenType::string || token.type == TokenType::number) return true;
  if (token.is_op("[") || token.is_op("{")) return true;
  return token.type == TokenType::name && token.text != "else" && token.text != "or" && token.text != "and";
}

Expr* ExpressionParser::test(Expr* subject) {
  int const line = tokens_.next().line;
  bool const negated = tokens_.skip_name("not");
  std::string name(tokens_.expect(TokenType::name, "name").text);
  while (tokens_.skip_op(".")) name.append(".").append(tokens_.expect(TokenType::name, "name").text);
  CallArguments arguments;
  if (tokens_.current().is_op("(")) {
    arguments = call_arguments();
  } else if (test_has_argument()) {
    if (tokens_.current().is_name("is")) syntax_error("You cannot chain multiple tests with is", tokens_.line());
    Nesting const nesting(*this);
    arguments.positional = keep(std::vector<Expr*>{postfix(primary())});
  }
  auto* node = make<TestExpr>(ExprKind::test, line, {subject});
  cover(node, arguments);
  node->subject = subject;
  node->name = arena_.copy(name);
  node->arguments = arguments;
  node->function = find_test(name);
  if (!negated) return node;
  auto* inverted = make<UnaryExpr>(ExprKind::logical_not, line, {node});
  inverted->operand = node;
  return inverted;
}

}  // namespace kvgate::jinja
