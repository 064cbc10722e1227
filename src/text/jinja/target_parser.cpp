#include <algorithm>
#include <iterator>
#include <string>

#include "text/jinja/expression_nodes.hpp"

namespace kvgate::jinja {

Target* ExpressionParser::name_target() {
  Token const& token = tokens_.expect(TokenType::name, "name");
  static constexpr std::string_view words[] = {"true", "false", "none", "True", "False", "None"};
  if (std::find(std::begin(words), std::end(words), token.text) != std::end(words)) {
    syntax_error("can't assign to 'const'", token.line);
  }
  Target* target = arena_.create<Target>();
  target->kind = TargetKind::name;
  target->line = token.line;
  target->name = token.text;
  return target;
}

Target* ExpressionParser::simple_target(bool with_attributes) {
  Nesting const nesting(*this);
  if (tokens_.skip_op("(")) {
    Target* const nested = tuple_target({}, false);
    tokens_.expect_op(")");
    return nested;
  }
  if (tokens_.current().type != TokenType::name) {
    syntax_error("can't assign to " + quoted(describe(tokens_.current())), tokens_.line());
  }
  Target* const target = name_target();
  if (!with_attributes || !tokens_.skip_op(".")) return target;
  target->kind = TargetKind::attribute;
  target->attribute = tokens_.expect(TokenType::name, "name").text;
  return target;
}

Target* ExpressionParser::tuple_target(std::string_view end_word, bool with_attributes) {
  int const line = tokens_.line();
  std::vector<Target*> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) tokens_.expect_op(",");
    if (at_tuple_end(end_word)) break;
    items.push_back(simple_target(with_attributes));
    if (!tokens_.current().is_op(",")) break;
    is_tuple = true;
  }
  if (!is_tuple && !items.empty()) return items.front();
  if (!is_tuple) syntax_error("Expected an expression, got " + quoted(describe(tokens_.current())), tokens_.line());
  Target* target = arena_.create<Target>();
  target->kind = TargetKind::tuple;
  target->line = line;
  target->items = keep(items);
  return target;
}

Target* ExpressionParser::target(std::string_view end_word, bool with_attributes) {
  return tuple_target(end_word, with_attributes);
}

}  // namespace kvgate::jinja
