#include "text/jinja/walk.hpp"

namespace kvgate::jinja {
namespace {

void visit_block(Block block, StatementVisitor& visitor) {
  for (Stmt* stmt : block) visitor.statement(*stmt);
}

void visit_macro(MacroBody& macro, StatementVisitor& visitor) {
  for (Parameter& parameter : macro.parameters) visitor.parameter(parameter);
  for (Parameter& parameter : macro.parameters) {
    if (parameter.fallback) visitor.expression(parameter.fallback);
  }
  visit_block(macro.body, visitor);
}

void visit_for(ForStmt& loop, StatementVisitor& visitor) {
  visitor.target(*loop.target);
  visitor.expression(loop.sequence);
  visit_block(loop.body, visitor);
  visit_block(loop.otherwise, visitor);
  if (loop.test) visitor.expression(loop.test);
}

}  // namespace

void each_child(Stmt& stmt, StatementVisitor& visitor) {
  switch (stmt.kind) {
    case StmtKind::text:
    case StmtKind::break_:
    case StmtKind::continue_:
      return;
    case StmtKind::output:
      return visitor.expression(static_cast<OutputStmt&>(stmt).value);
    case StmtKind::if_:
      for (Branch& branch : static_cast<IfStmt&>(stmt).branches) {
        visitor.expression(branch.test);
        visit_block(branch.body, visitor);
      }
      return visit_block(static_cast<IfStmt&>(stmt).otherwise, visitor);
    case StmtKind::for_:
      return visit_for(static_cast<ForStmt&>(stmt), visitor);
    case StmtKind::set:
      visitor.target(*static_cast<SetStmt&>(stmt).target);
      return visitor.expression(static_cast<SetStmt&>(stmt).value);
    case StmtKind::set_block:
      visitor.target(*static_cast<SetBlockStmt&>(stmt).target);
      visitor.expression(static_cast<SetBlockStmt&>(stmt).filter);
      return visit_block(static_cast<SetBlockStmt&>(stmt).body, visitor);
    case StmtKind::macro:
      return visit_macro(static_cast<MacroStmt&>(stmt).macro, visitor);
    case StmtKind::call_block: {
      auto& call = static_cast<CallBlockStmt&>(stmt);
      Expr* node = call.call;
      visitor.expression(node);
      return visit_macro(call.caller, visitor);
    }
    case StmtKind::filter_block:
      visit_block(static_cast<FilterBlockStmt&>(stmt).body, visitor);
      return visitor.expression(static_cast<FilterBlockStmt&>(stmt).filter);
    case StmtKind::with:
      for (Target* target : static_cast<WithStmt&>(stmt).targets) visitor.target(*target);
      for (Expr*& value : static_cast<WithStmt&>(stmt).values) visitor.expression(value);
      return visit_block(static_cast<WithStmt&>(stmt).body, visitor);
    case StmtKind::generation:
      return visit_block(static_cast<GenerationStmt&>(stmt).body, visitor);
  }
}

}  // namespace kvgate::jinja
