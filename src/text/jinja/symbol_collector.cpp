#include "text/jinja/symbol_collector.hpp"

#include "text/jinja/walk.hpp"

namespace kvgate::jinja {

void SymbolCollector::block(Block statements) {
  for (Stmt* stmt : statements) statement(*stmt);
}

void SymbolCollector::expression(Expr* node) {
  if (node->kind == ExprKind::name) return symbols_->read(static_cast<NameExpr*>(node)->name);
  each_child(node, [this](Expr*& child) { expression(child); });
}

void SymbolCollector::target(Target const& target_node, bool declares) {
  if (target_node.kind == TargetKind::attribute) return symbols_->read(target_node.name);
  if (target_node.kind == TargetKind::tuple) {
    for (Target* item : target_node.items) target(*item, declares);
  } else if (declares) {
    symbols_->declare(target_node.name);
  } else {
    symbols_->store(target_node.name);
  }
}

void SymbolCollector::statement(Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::output:
      return expression(static_cast<OutputStmt&>(stmt).value);
    case StmtKind::if_: {
      auto& node = static_cast<IfStmt&>(stmt);
      return branches(node.branches, node.otherwise);
    }
    case StmtKind::for_:
      return expression(static_cast<ForStmt&>(stmt).sequence);
    case StmtKind::set:
      expression(static_cast<SetStmt&>(stmt).value);
      return target(*static_cast<SetStmt&>(stmt).target, false);
    case StmtKind::set_block:
      return target(*static_cast<SetBlockStmt&>(stmt).target, false);
    case StmtKind::macro:
      return symbols_->store(static_cast<MacroStmt&>(stmt).macro.name);
    case StmtKind::call_block:
      return expression(static_cast<CallBlockStmt&>(stmt).call);
    case StmtKind::filter_block:
      return expression(static_cast<FilterBlockStmt&>(stmt).filter);
    case StmtKind::with:
      for (Expr* value : static_cast<WithStmt&>(stmt).values) expression(value);
      return;
    default:
      return;
  }
}

// Body, the elifs together and else are three alternatives, each seen from what stood before the `if`.
void SymbolCollector::branches(std::span<Branch> list, Block otherwise) {
  expression(list.front().test);
  Symbols* const original = symbols_;
  Symbols body = *original, elifs = *original, last = *original;
  symbols_ = &body;
  block(list.front().body);
  symbols_ = &elifs;
  for (Branch& branch : list.subspan(1)) branches({&branch, 1}, {});
  symbols_ = &last;
  block(otherwise);
  symbols_ = original;
  symbols_->merge({&body, &elifs, &last});
}

}  // namespace kvgate::jinja
