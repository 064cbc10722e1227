#include "text/jinja/fold.hpp"

#include "text/jinja/interpreter.hpp"
#include "text/jinja/walk.hpp"

namespace kvgate::jinja {
namespace {

// Small: a constant is kept as long as the template, whether it is used or not.
constexpr Limits kFoldLimits{10'000, 4096, 4096};

bool foldable(ExprKind kind) noexcept {
  switch (kind) {
    case ExprKind::name:
    case ExprKind::captured:
    case ExprKind::call:
    case ExprKind::filter:
    case ExprKind::test:
    case ExprKind::attribute:
      return false;
    default:
      return true;
  }
}

struct Folder final : StatementVisitor {
  explicit Folder(Arena& memory) : arena(memory) {}

  void expression(Expr*& node) override {
    bool constant = foldable(node->kind);
    each_child(node, [this, &constant](Expr*& child) {
      expression(child);
      constant = constant && child->kind == ExprKind::constant;
    });
    if (constant && node->kind != ExprKind::constant) replace(node);
  }
  void target(Target&) override {}
  void parameter(Parameter&) override {}
  void statement(Stmt& stmt) override { each_child(stmt, *this); }

  void replace(Expr*& node) {
    RenderOptions options;
    options.limits = kFoldLimits;
    try {
      Value const value = Interpreter(arena, options).constant(node);
      if (value.is_undefined() || value.is(Kind::object)) return;
      auto* constant = new (arena.allocate(sizeof(ConstantExpr))) ConstantExpr{};
      constant->kind = ExprKind::constant;
      constant->depth = 1;
      constant->line = node->line;
      constant->value = value;
      node = constant;
    } catch (Thrown const&) {
    }
  }

  Arena& arena;
};

}  // namespace

void fold_constants(Program& program) {
  Folder folder(program.arena);
  for (Stmt* stmt : program.body) folder.statement(*stmt);
}

}  // namespace kvgate::jinja
