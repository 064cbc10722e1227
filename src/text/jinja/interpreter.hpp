// Runs a compiled template: one object per rendering.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/arguments.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/program.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/slot_stack.hpp"

namespace kvgate::jinja {

/// The variables of one call of a function.
struct Activation {
  Activation* outer;
  Value* slots;
  Function const* function;
};

/// Walks the tree. Output goes to one text; what a macro or block captures is its tail for a while. Throws Thrown.
class Interpreter {
 public:
  Interpreter(Arena& arena, RenderOptions const& options)
      : runtime_(arena, options.limits, options.now), most_output_(options.limits.output_bytes) {
    out_.reserve(kFirstOutput);
  }

  /// Renders the program with the entries of `globals`.
  std::string run(Program const& program, Value const& globals);

  /// The value of an expression without names, for the compiler.
  Value constant(Expr const* node) { return eval(node); }

  /// Line of the statement that ran last.
  int line() const noexcept { return line_; }

 private:
  enum class Flow : std::uint8_t { normal, break_, continue_ };
  friend class CallFrame;
  friend struct FilteredLoop;

  static constexpr std::size_t kFirstOutput = 8192;
  static constexpr int kMaxDepth = 4000;  ///< nested nodes over all calls: bounds the machine stack

  // statements.cpp
  Flow run_block(Block block);
  Flow run_statement(Stmt const& stmt);
  Flow run_if(IfStmt const& stmt);
  Flow run_set_block(SetBlockStmt const& stmt);
  Flow run_filter_block(FilterBlockStmt const& stmt);
  Flow run_with(WithStmt const& stmt);
  void run_set(SetStmt const& stmt);
  void run_macro(MacroStmt const& stmt);
  void run_call_block(CallBlockStmt const& stmt);
  void enter(Scope const& scope);
  void check_namespaces(Target const& target);
  void assign(Target const& target, Value const& value);
  void unpack(Target const& target, Value const& value);
  NamespaceObject* namespace_of(Target const& target);

  // loops.cpp
  Flow run_for(ForStmt const& stmt);
  void run_plain_loop(ForStmt const& stmt, Value const& sequence, bool& completed);
  void run_loop(ForStmt const& stmt, Value const& sequence, std::int64_t depth0, bool& completed);
  bool run_round(ForStmt const& stmt, bool& completed);
  Flow run_else(ForStmt const& stmt);
  void run_recursive(ForStmt const& stmt, Value const& sequence, std::int64_t depth0);
  bool passes(ForStmt const& stmt, Value const& item);
  void forget(ForStmt const& stmt);
  Value filtered(ForStmt const& stmt, Value const& sequence);
  Value call_loop(LoopObject& loop, Arguments const& arguments);

  // calls.cpp
  Value call(CallExpr const& node);
  Value call_value(Value const& function, Arguments const& arguments);
  void emit_macro(MacroObject const& macro, Arguments const& arguments);
  void bind(MacroBody const& macro, Arguments const& arguments);
  void bind_keywords(MacroBody const& macro, Arguments const& arguments, std::size_t positional);
  void fill_defaults(MacroBody const& macro);
  Value filter(FilterExpr const& node);
  bool test(TestExpr const& node);
  Value take_output(std::size_t from);

  // expressions.cpp
  Value eval(Expr const* node);
  bool condition(Expr const* node);
  Value eval_sequence(SequenceExpr const& node);
  Value eval_dict(DictExpr const& node);
  Value eval_add(SequenceExpr const& node);
  Value eval_concat(SequenceExpr const& node);
  Value eval_slice(SliceExpr const& node);
  Value eval_conditional(ConditionalExpr const& node);
  bool compare(CompareExpr const& node);
  bool holds(Value const& left, CompareOp op, Value const& right);
  Value eval_optional(Expr const* node) { return node ? eval(node) : Value::none(); }

  // output.cpp
  void emit(Expr const* node);
  void emit_add(SequenceExpr const& node);
  void emit_call(CallExpr const& node);
  void emit_json(FilterExpr const& node);
  void emit_value(Value const& value);
  void write(std::string_view text) {
    if (out_.size() + text.size() > most_output_) over_limit("the output becomes too long");
    out_ += text;
  }

  Value& variable(VariableRef ref) {
    Activation* at = activation_;
    for (std::uint32_t i = 0; i < ref.depth; ++i) at = at->outer;
    return at->slots[ref.slot];
  }

  Runtime runtime_;
  std::size_t most_output_;
  std::string out_;
  SlotStack stack_;
  Activation* activation_ = nullptr;
  Value captured_;
  int depth_ = 0;
  int line_ = 0;
};

}  // namespace kvgate::jinja
