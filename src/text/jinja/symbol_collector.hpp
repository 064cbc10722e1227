// Which names one scope reads and assigns.
#pragma once

#include "text/jinja/symbols.hpp"

namespace kvgate::jinja {

/// Enters the names of one scope's statements into its symbols; stops where an inner scope begins.
class SymbolCollector {
 public:
  explicit SymbolCollector(Symbols& symbols) : symbols_(&symbols) {}

  void block(Block statements);
  void expression(Expr* node);
  /// `declares`: the names belong to the scope from its beginning, as parameters and loop variables do.
  void target(Target const& target_node, bool declares);

 private:
  void statement(Stmt& stmt);
  void branches(std::span<Branch> list, Block otherwise);

  Symbols* symbols_;
};

}  // namespace kvgate::jinja
