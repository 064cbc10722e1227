#include <string>

#include "text/jinja/call_frame.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/globals.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/iteration.hpp"

namespace kvgate::jinja {

std::string Interpreter::run(Program const& program, Value const& globals) {
  Activation root{nullptr, stack_.take(program.function.slots), &program.function};
  activation_ = &root;
  depth_ = program.function.depth;
  for (InputVariable const& input : program.inputs) {
    Value const given = globals.get(input.name);
    root.slots[input.slot] = given.is_undefined() ? find_global(input.name) : given;
  }
  run_block(program.body);
  return std::move(out_);
}

Interpreter::Flow Interpreter::run_block(Block block) {
  for (Stmt const* stmt : block) {
    Flow const flow = run_statement(*stmt);
    if (flow != Flow::normal) return flow;
  }
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_statement(Stmt const& stmt) {
  runtime_.spend(1);
  line_ = stmt.line;
  switch (stmt.kind) {
    case StmtKind::text:
      write(static_cast<TextStmt const&>(stmt).text);
      break;
    case StmtKind::output:
      emit(static_cast<OutputStmt const&>(stmt).value);
      break;
    case StmtKind::if_:
      return run_if(static_cast<IfStmt const&>(stmt));
    case StmtKind::for_:
      return run_for(static_cast<ForStmt const&>(stmt));
    case StmtKind::set:
      run_set(static_cast<SetStmt const&>(stmt));
      break;
    case StmtKind::set_block:
      return run_set_block(static_cast<SetBlockStmt const&>(stmt));
    case StmtKind::macro:
      run_macro(static_cast<MacroStmt const&>(stmt));
      break;
    case StmtKind::call_block:
      run_call_block(static_cast<CallBlockStmt const&>(stmt));
      break;
    case StmtKind::filter_block:
      return run_filter_block(static_cast<FilterBlockStmt const&>(stmt));
    case StmtKind::with:
      return run_with(static_cast<WithStmt const&>(stmt));
    case StmtKind::generation:
      enter(static_cast<GenerationStmt const&>(stmt).scope);
      return run_block(static_cast<GenerationStmt const&>(stmt).body);
    case StmtKind::break_:
      return Flow::break_;
    case StmtKind::continue_:
      return Flow::continue_;
  }
  return Flow::normal;
}

void Interpreter::enter(Scope const& scope) {
  for (SlotInit const& init : scope.inits) {
    activation_->slots[init.slot] = init.copied ? variable(init.from) : Value();
  }
}

Interpreter::Flow Interpreter::run_if(IfStmt const& stmt) {
  for (Branch const& branch : stmt.branches) {
    if (condition(branch.test)) return run_block(branch.body);
  }
  return run_block(stmt.otherwise);
}

void Interpreter::run_set(SetStmt const& stmt) {
  if (stmt.target->kind == TargetKind::name) {
    Value const value = eval(stmt.value);
    variable(stmt.target->ref) = value;
    return;
  }
  check_namespaces(*stmt.target);
  assign(*stmt.target, eval(stmt.value));
}

// What leaves the block by break or continue leaves nothing behind.
Interpreter::Flow Interpreter::run_set_block(SetBlockStmt const& stmt) {
  enter(stmt.scope);
  std::size_t const from = out_.size();
  Flow const flow = run_block(stmt.body);
  if (flow != Flow::normal) {
    out_.resize(from);
    return flow;
  }
  check_namespaces(*stmt.target);
  captured_ = take_output(from);
  assign(*stmt.target, eval(stmt.filter));
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_filter_block(FilterBlockStmt const& stmt) {
  enter(stmt.scope);
  std::size_t const from = out_.size();
  Flow const flow = run_block(stmt.body);
  if (flow != Flow::normal) {
    out_.resize(from);
    return flow;
  }
  captured_ = take_output(from);
  emit(stmt.filter);
  return Flow::normal;
}

Interpreter::Flow Interpreter::run_with(WithStmt const& stmt) {
  enter(stmt.scope);
  for (std::size_t i = 0; i < stmt.targets.size(); ++i) assign(*stmt.targets[i], eval(stmt.values[i]));
  return run_block(stmt.body);
}

void Interpreter::run_macro(MacroStmt const& stmt) {
  auto* macro = runtime_.arena.create<MacroObject>(Object{ObjectKind::macro}, &stmt.macro, activation_);
  variable(stmt.ref) = Value::object(macro);
}

void Interpreter::run_call_block(CallBlockStmt const& stmt) {
  auto* macro = runtime_.arena.create<MacroObject>(Object{ObjectKind::macro}, &stmt.caller, activation_);
  Value const function = eval(stmt.call->function);
  CallFrame const frame(*this, stmt.call->arguments, Value::object(macro));
  emit_value(call_value(function, frame.arguments()));
}

NamespaceObject* Interpreter::namespace_of(Target const& target) {
  auto* space = object_as<NamespaceObject>(variable(target.ref), ObjectKind::name_space);
  if (!space) raise("TemplateRuntimeError", "cannot assign attribute on non-namespace object");
  return space;
}

// Before anything is evaluated, as Jinja does.
void Interpreter::check_namespaces(Target const& target) {
  if (target.kind == TargetKind::attribute) namespace_of(target);
  for (Target const* item : target.items) check_namespaces(*item);
}

void Interpreter::assign(Target const& target, Value const& value) {
  switch (target.kind) {
    case TargetKind::name:
      variable(target.ref) = value;
      return;
    case TargetKind::attribute: {
      NamespaceObject* space = namespace_of(target);
      space->attributes->set(runtime_.arena, target.attribute, value);
      return;
    }
    case TargetKind::tuple:
      return unpack(target, value);
  }
}

void Interpreter::unpack(Target const& target, Value const& value) {
  if (!iterable(value)) type_error("cannot unpack non-iterable " + std::string(type_name(value)) + " object");
  std::span<Value const> const items = items_of(runtime_, value);
  std::string const expected = std::to_string(target.items.size());
  if (items.size() > target.items.size()) value_error("too many values to unpack (expected " + expected + ")");
  if (items.size() < target.items.size()) {
    value_error("not enough values to unpack (expected " + expected + ", got " + std::to_string(items.size()) + ")");
  }
  for (std::size_t i = 0; i < items.size(); ++i) assign(*target.items[i], items[i]);
}

}  // namespace kvgate::jinja
