#include "text/jinja/mentions.hpp"

#include "text/jinja/thrown.hpp"
#include "text/jinja/walk.hpp"

namespace kvgate::jinja {
namespace {

struct MentionFinder final : StatementVisitor {
  explicit MentionFinder(std::string_view wanted) : name(wanted) {}

  void expression(Expr*& node) override {
    if (decided) return;
    if (node->kind == ExprKind::name && static_cast<NameExpr*>(node)->name == name) {
      found = decided = true;
      return;
    }
    each_child(node, [this](Expr*& child) { expression(child); });
  }
  void target(Target& target_node) override {
    if (target_node.kind == TargetKind::name && target_node.name == name) decided = true;
    for (Target* item : target_node.items) target(*item);
  }
  void parameter(Parameter& parameter) override { decided = decided || parameter.name == name; }
  void statement(Stmt& stmt) override {
    if (!decided) each_child(stmt, *this);
  }

  std::string_view name;
  bool found = false;
  bool decided = false;
};

struct LoopAssignmentFinder final : StatementVisitor {
  void expression(Expr*&) override {}
  void target(Target& target_node) override {
    if (target_node.kind == TargetKind::name && target_node.name == "loop") {
      syntax_error("Can't assign to special loop variable in for-loop target", target_node.line);
    }
    for (Target* item : target_node.items) target(*item);
  }
  void parameter(Parameter&) override {}
  void statement(Stmt& stmt) override {
    if (stmt.kind == StmtKind::with) {  // declares its targets, which is allowed
      for (Stmt* inner : static_cast<WithStmt&>(stmt).body) statement(*inner);
    } else {
      each_child(stmt, *this);
    }
  }
};

}  // namespace

bool mentions(Block body, std::string_view name) {
  MentionFinder finder(name);
  for (Stmt* stmt : body) finder.statement(*stmt);
  return finder.found;
}

void refuse_assigned_loop(ForStmt& loop) {
  LoopAssignmentFinder finder;
  finder.statement(loop);
}

}  // namespace kvgate::jinja
