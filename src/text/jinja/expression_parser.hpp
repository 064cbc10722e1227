// Expressions of templates.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/arena.hpp"
#include "text/jinja/ast.hpp"
#include "text/jinja/token_stream.hpp"

namespace kvgate::jinja {

/// Recursive descent, one function per level of precedence. Throws Thrown.
class ExpressionParser {
 public:
  ExpressionParser(TokenStream& tokens, Arena& arena) : tokens_(tokens), arena_(arena) {}

  Expr* expression() { return conditional(); }
  /// Without an inline `if` at its outermost level.
  Expr* expression_without_if() { return logical_or(); }
  /// An expression, or several with commas between: a tuple. `end_word` is a name that may end it ("recursive").
  Expr* tuple(bool with_if, std::string_view end_word = {});
  /// `|name(...)|name...` over `subject`; with `first` the first bar is left out.
  Expr* filters(Expr* subject, bool first);

  Target* target(std::string_view end_word, bool with_attributes);
  Target* name_target();

  /// Deepest expression since the last call.
  std::uint16_t take_depth() noexcept { return std::exchange(depth_, std::uint16_t{0}); }

  template <class T>
  std::span<T> keep(std::vector<T> const& items) {
    T* copy = arena_.allocate_array<T>(items.size());
    std::copy(items.begin(), items.end(), copy);
    return {copy, items.size()};
  }

 private:
  friend struct Nesting;

  Expr* conditional();
  Expr* logical_or();
  Expr* logical_and();
  Expr* logical_not();
  Expr* compare();
  Expr* sum();
  Expr* concat();
  Expr* product();
  Expr* power();
  Expr* unary(bool with_filter);
  Expr* primary();
  Expr* postfix(Expr* node);
  Expr* filters_and_tests(Expr* node);

  Expr* literal_list();
  Expr* literal_dict();
  Expr* parenthesized();
  Expr* string_literal();
  Expr* name_or_word();
  Expr* dot(Expr* object);
  Expr* subscript(Expr* object);
  Expr* slice_from(Expr* object, Expr* start);
  Expr* optional_bound();
  Expr* call(Expr* function);
  Expr* test(Expr* subject);
  bool test_has_argument() const;
  CallArguments call_arguments();
  bool at_tuple_end(std::string_view end_word) const;
  Expr* tuple_items(bool with_if, std::string_view end_word, bool parentheses);
  Target* simple_target(bool with_attributes);
  Target* tuple_target(std::string_view end_word, bool with_attributes);

  /// A node of `kind` whose depth is one more than the deepest of `children`.
  template <class T>
  T* make(ExprKind kind, int line, std::initializer_list<Expr const*> children);
  std::uint16_t depth_over(int line, Expr const* child, std::uint16_t depth);
  Expr* constant(Value value, int line);
  Expr* binary(ExprKind kind, Expr* left, Expr* right, int line);
  Expr* sequence(ExprKind kind, std::vector<Expr*> const& items, int line);
  void cover(Expr* node, CallArguments const& arguments);

  TokenStream& tokens_;
  Arena& arena_;
  int nesting_ = 0;
  std::uint16_t depth_ = 0;
};

}  // namespace kvgate::jinja
