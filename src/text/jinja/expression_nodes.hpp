// How the expression parser makes nodes; for its own files only.
#pragma once

#include <algorithm>

#include "text/jinja/expression_parser.hpp"
#include "text/jinja/parser.hpp"

namespace kvgate::jinja {

/// Bounds the recursion of the parser itself.
struct Nesting {
  explicit Nesting(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.nesting_ > max_nesting) over_limit("the template nests too deep");
  }
  ~Nesting() { --parser_.nesting_; }
  Nesting(Nesting const&) = delete;

 private:
  ExpressionParser& parser_;
};

template <class T>
T* ExpressionParser::make(ExprKind kind, int line, std::initializer_list<Expr const*> children) {
  T* node = new (arena_.allocate(sizeof(T))) T{};
  node->kind = kind;
  node->line = line;
  node->depth = 1;
  for (Expr const* child : children) node->depth = depth_over(line, child, node->depth);
  depth_ = std::max(depth_, node->depth);
  return node;
}

}  // namespace kvgate::jinja
