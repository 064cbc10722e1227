#include "text/jinja/resolver.hpp"

#include <map>
#include <set>

#include "text/jinja/mentions.hpp"
#include "text/jinja/symbol_collector.hpp"
#include "text/jinja/thrown.hpp"
#include "text/jinja/walk.hpp"

namespace kvgate::jinja {
namespace {

class Resolver {
 public:
  explicit Resolver(Program& program) : program_(program), root_{nullptr, &program.function} {}

  void run() {
    Symbols symbols(nullptr, &root_);
    SymbolCollector(symbols).block(program_.body);
    for (auto const& [ident, load] : symbols.loads()) {
      if (load.kind == Load::Kind::lookup) add_input(ident.slot, load.name);
      if (load.kind == Load::Kind::nothing) program_.inits.push_back({ident.slot, false, {}});
    }
    resolve_block(program_.body, symbols, false);
    program_.undeclared.assign(undeclared_.begin(), undeclared_.end());
  }

 private:
  void add_input(std::uint32_t slot, std::string_view name) {
    program_.inputs.push_back({slot, name});
    note_undeclared(name);
  }

  void note_undeclared(std::string_view name) {
    static constexpr std::string_view known[] = {"range", "dict", "lipsum", "cycler", "joiner", "namespace"};
    for (std::string_view const global : known) {
      if (name == global) return;
    }
    undeclared_.insert(std::string(name));
  }

  Missing const* missing(std::string_view name) {
    Missing const*& known = missing_[name];
    if (!known) known = program_.arena.create<Missing>(Missing::Why::name, name, std::string_view());
    return known;
  }

  // Inputs do not change while a template runs, so inner scopes read the outermost function's copy.
  Ident input(std::string_view name) {
    auto const [at, fresh] = input_slots_.try_emplace(name, Ident{&root_, root_.function->slots});
    if (fresh) {
      ++root_.function->slots;
      add_input(at->second.slot, name);
    }
    return at->second;
  }

  VariableRef reference(Ident ident, FunctionScope const* from) const {
    VariableRef ref{0, ident.slot};
    for (; from != ident.function; from = from->outer) ++ref.depth;
    return ref;
  }

  /// Settles the scope's symbols and says what to do on entering it.
  Scope finish(Symbols& symbols) {
    std::vector<SlotInit> inits;
    std::map<Ident, Load> const loads = symbols.loads();
    for (auto const& [ident, load] : loads) {
      switch (load.kind) {
        case Load::Kind::parameter:
          break;
        case Load::Kind::nothing:
          inits.push_back({ident.slot, false, {}});
          break;
        case Load::Kind::alias:
          inits.push_back({ident.slot, true, reference(load.outer, symbols.function())});
          break;
        case Load::Kind::lookup:
          note_undeclared(load.name);
          if (symbols.stores(load.name)) {
            inits.push_back({ident.slot, true, reference(input(load.name), symbols.function())});
          } else {
            symbols.redirect(load.name, ident, input(load.name));
          }
      }
    }
    return {keep(inits)};
  }

  template <class T>
  std::span<T> keep(std::vector<T> const& items) {
    T* copy = program_.arena.allocate_array<T>(items.size());
    std::copy(items.begin(), items.end(), copy);
    return {copy, items.size()};
  }

  void resolve_block(Block statements, Symbols const& symbols, bool soft) {
    for (Stmt* stmt : statements) resolve_statement(*stmt, symbols, soft);
  }

  void resolve_statement(Stmt& stmt, Symbols const& symbols, bool soft) {
    switch (stmt.kind) {
      case StmtKind::output:
        return resolve_expression(static_cast<OutputStmt&>(stmt).value, symbols, soft);
      case StmtKind::if_:
        return resolve_if(static_cast<IfStmt&>(stmt), symbols);
      case StmtKind::for_:
        return resolve_for(static_cast<ForStmt&>(stmt), symbols, soft);
      case StmtKind::set:
        resolve_expression(static_cast<SetStmt&>(stmt).value, symbols, soft);
        return resolve_target(*static_cast<SetStmt&>(stmt).target, symbols);
      case StmtKind::set_block:
        return resolve_set_block(static_cast<SetBlockStmt&>(stmt), symbols);
      case StmtKind::macro:
        return resolve_macro_statement(static_cast<MacroStmt&>(stmt), symbols);
      case StmtKind::call_block:
        return resolve_call_block(static_cast<CallBlockStmt&>(stmt), symbols, soft);
      case StmtKind::filter_block:
        return resolve_filter_block(static_cast<FilterBlockStmt&>(stmt), symbols);
      case StmtKind::with:
        return resolve_with(static_cast<WithStmt&>(stmt), symbols, soft);
      case StmtKind::generation:
        return resolve_generation(static_cast<GenerationStmt&>(stmt), symbols);
      default:
        return;
    }
  }

  void resolve_if(IfStmt& node, Symbols const& symbols) {
    for (Branch& branch : node.branches) {
      resolve_expression(branch.test, symbols, true);
      resolve_block(branch.body, symbols, true);
    }
    resolve_block(node.otherwise, symbols, true);
  }

  void resolve_for(ForStmt& node, Symbols const& symbols, bool soft) {
    FunctionScope* own = symbols.function();
    FunctionScope recursive{own, &node.function};
    if (node.recursive) {
      own->function->captured = true;
      own = &recursive;
    }
    Symbols body(&symbols, own), otherwise(&symbols, own), test(&symbols, symbols.function());
    node.uses_loop = node.recursive || mentions(node.body, "loop");
    if (node.uses_loop) node.loop_slot = body.declare("loop").slot;
    SymbolCollector(body).target(*node.target, true);
    SymbolCollector(body).block(node.body);
    SymbolCollector(otherwise).block(node.otherwise);
    node.body_scope = finish(body);
    node.else_scope = finish(otherwise);
    if (node.test) resolve_loop_test(node, test);
    refuse_assigned_loop(node);
    resolve_target(*node.target, body);
    resolve_expression(node.sequence, symbols, soft);
    resolve_block(node.body, body, false);
    resolve_block(node.otherwise, otherwise, false);
  }

  void resolve_loop_test(ForStmt& node, Symbols& test) {
    SymbolCollector(test).target(*node.target, true);
    SymbolCollector(test).expression(node.test);
    node.test_scope = finish(test);
    node.test_target = copy_target(*node.target);
    resolve_target(*node.test_target, test);
    resolve_expression(node.test, test, false);
  }

  Target* copy_target(Target const& target) {
    Target* copy = program_.arena.create<Target>(target);
    std::vector<Target*> items;
    for (Target const* item : target.items) items.push_back(copy_target(*item));
    copy->items = keep(items);
    return copy;
  }

  void resolve_set_block(SetBlockStmt& node, Symbols const& symbols) {
    Symbols inner(&symbols, symbols.function());
    SymbolCollector(inner).block(node.body);
    SymbolCollector(inner).expression(node.filter);
    node.scope = finish(inner);
    resolve_block(node.body, inner, false);
    resolve_expression(node.filter, inner, false);
    resolve_target(*node.target, symbols);
  }

  void resolve_macro_statement(MacroStmt& node, Symbols const& symbols) {
    resolve_macro(node.macro, node.line, symbols);
    node.ref = reference(symbols.find(node.macro.name), symbols.function());
  }

  void resolve_macro(MacroBody& macro, int line, Symbols const& symbols) {
    symbols.function()->function->captured = true;
    FunctionScope own{symbols.function(), &macro.function};
    Symbols inner(&symbols, &own);
    for (Parameter& parameter : macro.parameters) parameter.slot = inner.declare(parameter.name).slot;
    for (Parameter& parameter : macro.parameters) {
      if (parameter.fallback) SymbolCollector(inner).expression(parameter.fallback);
    }
    SymbolCollector(inner).block(macro.body);
    declare_special(macro, line, inner);
    macro.scope = finish(inner);
    for (Parameter& parameter : macro.parameters) {
      if (parameter.fallback) resolve_expression(parameter.fallback, inner, false);
    }
    resolve_block(macro.body, inner, false);
  }

  void declare_special(MacroBody& macro, int line, Symbols& inner) {
    auto const find = [&macro](std::string_view name) {
      for (Parameter const& parameter : macro.parameters) {
        if (parameter.name == name) return &parameter;
      }
      return static_cast<Parameter const*>(nullptr);
    };
    if (mentions(macro.body, "caller")) {
      Parameter const* explicit_caller = find("caller");
      if (explicit_caller && !explicit_caller->fallback) {
        syntax_error(
            "When defining macros or call blocks the special \"caller\" argument must be omitted or be given a "
            "default.",
            line);
      }
      macro.takes_caller = !explicit_caller;
      if (macro.takes_caller) macro.caller_slot = inner.declare("caller").slot;
    }
    macro.takes_kwargs = mentions(macro.body, "kwargs") && !find("kwargs");
    if (macro.takes_kwargs) macro.kwargs_slot = inner.declare("kwargs").slot;
    macro.takes_varargs = mentions(macro.body, "varargs") && !find("varargs");
    if (macro.takes_varargs) macro.varargs_slot = inner.declare("varargs").slot;
  }

  void resolve_call_block(CallBlockStmt& node, Symbols const& symbols, bool soft) {
    resolve_macro(node.caller, node.line, symbols);
    Expr* call = node.call;
    resolve_expression(call, symbols, soft);
  }

  void resolve_filter_block(FilterBlockStmt& node, Symbols const& symbols) {
    Symbols inner(&symbols, symbols.function());
    SymbolCollector(inner).block(node.body);
    SymbolCollector(inner).expression(node.filter);
    node.scope = finish(inner);
    resolve_block(node.body, inner, false);
    resolve_expression(node.filter, inner, false);
  }

  void resolve_with(WithStmt& node, Symbols const& symbols, bool soft) {
    Symbols inner(&symbols, symbols.function());
    for (Target* target : node.targets) SymbolCollector(inner).target(*target, true);
    SymbolCollector(inner).block(node.body);
    node.scope = finish(inner);
    for (Target* target : node.targets) resolve_target(*target, inner);
    for (Expr* value : node.values) resolve_expression(value, symbols, soft);
    resolve_block(node.body, inner, false);
  }

  void resolve_generation(GenerationStmt& node, Symbols const& symbols) {
    Symbols inner(&symbols, symbols.function());
    SymbolCollector(inner).block(node.body);
    node.scope = finish(inner);
    resolve_block(node.body, inner, false);
  }

  void resolve_target(Target& target, Symbols const& symbols) {
    if (target.kind == TargetKind::tuple) {
      for (Target* item : target.items) resolve_target(*item, symbols);
    } else {
      target.ref = reference(symbols.find(target.name), symbols.function());
    }
  }

  void resolve_expression(Expr* node, Symbols const& symbols, bool soft) {
    switch (node->kind) {
      case ExprKind::name: {
        auto* name = static_cast<NameExpr*>(node);
        name->ref = reference(symbols.find(name->name), symbols.function());
        name->missing = missing(name->name);
        return;
      }
      case ExprKind::filter: {
        auto* filter = static_cast<FilterExpr*>(node);
        if (!filter->function && !soft) syntax_error("No filter named " + quoted(filter->name) + ".", node->line);
        break;
      }
      case ExprKind::test: {
        auto* test = static_cast<TestExpr*>(node);
        if (!test->function && !soft) syntax_error("No test named " + quoted(test->name) + ".", node->line);
        break;
      }
      case ExprKind::conditional:
        soft = true;
        break;
      default:
        break;
    }
    each_child(node, [&](Expr*& child) { resolve_expression(child, symbols, soft); });
  }

  Program& program_;
  FunctionScope root_;
  std::map<std::string_view, Ident> input_slots_;
  std::map<std::string_view, Missing const*> missing_;
  std::set<std::string> undeclared_;
};

}  // namespace

void resolve(Program& program) {
  Resolver(program).run();
}

}  // namespace kvgate::jinja
