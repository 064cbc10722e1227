#include <string>

#include "text/jinja/dict.hpp"
#include "text/jinja/interpreter.hpp"
#include "text/jinja/iteration.hpp"

namespace kvgate::jinja {

/// The items of a loop with `if`, chosen as the loop asks for them.
struct FilteredLoop : IteratorObject {
  Interpreter* interpreter;
  ForStmt const* stmt;
  Activation* activation;
  Iteration source;

  static bool advance_filtered(Runtime& runtime, IteratorObject& object, Value& out) {
    auto& self = static_cast<FilteredLoop&>(object);
    while (self.source.next(runtime, out)) {
      Activation* const current = std::exchange(self.interpreter->activation_, self.activation);
      bool const passes = self.interpreter->passes(*self.stmt, out);
      self.interpreter->activation_ = current;
      if (passes) return true;
    }
    return false;
  }
};

Interpreter::Flow Interpreter::run_for(ForStmt const& stmt) {
  Value const sequence = eval(stmt.sequence);
  if (stmt.recursive) {
    run_recursive(stmt, sequence, 0);
    return Flow::normal;
  }
  bool completed = false;
  stmt.uses_loop ? run_loop(stmt, sequence, 0, completed) : run_plain_loop(stmt, sequence, completed);
  return completed ? Flow::normal : run_else(stmt);
}

// `else` runs unless some round came to its end.
Interpreter::Flow Interpreter::run_else(ForStmt const& stmt) {
  if (stmt.otherwise.empty()) return Flow::normal;
  enter(stmt.else_scope);
  return run_block(stmt.otherwise);
}

void Interpreter::run_plain_loop(ForStmt const& stmt, Value const& sequence, bool& completed) {
  Iteration iteration(sequence);
  if (stmt.test) enter(stmt.test_scope);
  for (Value item; iteration.next(runtime_, item);) {
    if (stmt.test && !passes(stmt, item)) continue;
    assign(*stmt.target, item);
    if (!run_round(stmt, completed)) break;
  }
  forget(stmt);
}

void Interpreter::run_loop(ForStmt const& stmt, Value const& sequence, std::int64_t depth0, bool& completed) {
  auto* loop = runtime_.arena.create<LoopObject>();
  loop->kind = ObjectKind::loop;
  Activation* const outer = stmt.recursive ? activation_->outer : activation_;
  loop->activation = outer;
  loop->stmt = &stmt;
  loop->depth0 = depth0;
  if (stmt.test) {
    Activation* const current = std::exchange(activation_, outer);
    enter(stmt.test_scope);
    loop->iteration = Iteration(filtered(stmt, sequence));
    activation_ = current;
  } else {
    loop->iteration = Iteration(sequence);
    loop->sequence = sequence;
    loop->sized = !object_as<Object>(sequence, ObjectKind::iterator);
  }
  Value const loop_value = Value::object(loop);
  for (Value item; loop->advance(runtime_, item);) {
    assign(*stmt.target, item);
    activation_->slots[stmt.loop_slot] = loop_value;
    if (!run_round(stmt, completed)) break;
  }
  forget(stmt);
}

// False when the loop ends early.
bool Interpreter::run_round(ForStmt const& stmt, bool& completed) {
  enter(stmt.body_scope);
  Flow const flow = run_block(stmt.body);
  completed = completed || flow == Flow::normal;
  return flow != Flow::break_;
}

bool Interpreter::passes(ForStmt const& stmt, Value const& item) {
  assign(*stmt.test_target, item);
  return condition(stmt.test);
}

Value Interpreter::filtered(ForStmt const& stmt, Value const& sequence) {
  IteratorObject const base{{ObjectKind::iterator}, FilteredLoop::advance_filtered, "generator", 1};
  return Value::object(runtime_.arena.create<FilteredLoop>(base, this, &stmt, activation_, Iteration(sequence)));
}

// A macro that was defined inside and is called later finds nothing.
void Interpreter::forget(ForStmt const& stmt) {
  if (!activation_->function->captured || stmt.recursive) return;
  auto const forget_target = [this](auto const& self, Target const& target) -> void {
    if (target.kind == TargetKind::name) variable(target.ref) = Value();
    for (Target const* item : target.items) self(self, *item);
  };
  forget_target(forget_target, *stmt.target);
  for (SlotInit const& init : stmt.body_scope.inits) activation_->slots[init.slot] = Value();
  if (stmt.uses_loop) activation_->slots[stmt.loop_slot] = Value();
}

void Interpreter::run_recursive(ForStmt const& stmt, Value const& sequence, std::int64_t depth0) {
  depth_ += stmt.function.depth;
  if (depth_ > kMaxDepth) over_limit("loops call each other too deep");
  Activation* const outer = activation_;
  activation_ = runtime_.arena.create<Activation>(outer, runtime_.arena.allocate_array<Value>(stmt.function.slots),
                                                  &stmt.function);
  std::fill_n(activation_->slots, stmt.function.slots, Value());
  bool completed = false;
  run_loop(stmt, sequence, depth0, completed);
  if (!completed) run_else(stmt);
  activation_ = outer;
  depth_ -= stmt.function.depth;
}

Value Interpreter::call_loop(LoopObject& loop, Arguments const& arguments) {
  if (!loop.stmt->recursive) {
    type_error("The loop must have the 'recursive' marker to be called recursively.");
  }
  Bound const bound(arguments, {"loop", {"iterable"}, 1});
  std::size_t const from = out_.size();
  Activation* const current = std::exchange(activation_, loop.activation);
  run_recursive(*loop.stmt, *bound[0], loop.depth0 + 1);
  activation_ = current;
  return take_output(from);
}

}  // namespace kvgate::jinja
