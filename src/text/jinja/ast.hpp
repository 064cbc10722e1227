// The syntax tree: made by the parser, completed by the resolver, then only read. Nodes live in the program's arena and
// are told apart by `kind`; depth_of() bounds every recursion over them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "text/jinja/missing.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;
struct Arguments;
struct MethodName;
using FilterFunction = Value (*)(Runtime&, Value const& subject, Arguments const& arguments);
using TestFunction = bool (*)(Runtime&, Value const& subject, Arguments const& arguments);

enum class ExprKind : std::uint8_t {
  constant,
  name,
  captured,  ///< the text that a filter or set block has written
  list,
  tuple,
  dict,
  attribute,  ///< a.b
  item,       ///< a[b]
  slice,      ///< a[b:c:d]
  call,
  filter,
  test,
  negate,
  plus,
  logical_not,
  logical_and,
  logical_or,
  add,  ///< of two or more
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  concat,
  compare,
  conditional,
};

struct Expr {
  ExprKind kind;
  std::uint16_t depth;  ///< of the tree below, this node included
  int line;
};

struct ConstantExpr : Expr {
  Value value;
};

/// Where a variable stands: in the activation `depth` functions further out, at `slot`.
struct VariableRef {
  std::uint32_t depth = 0;
  std::uint32_t slot = 0;
};

struct NameExpr : Expr {
  std::string_view name;
  VariableRef ref;
  Missing const* missing;  ///< what it says when it has no value
};

struct SequenceExpr : Expr {  ///< list, tuple; operands of add and concat
  std::span<Expr*> items;
};

struct Pair {
  Expr* key;
  Expr* value;
};

struct DictExpr : Expr {
  std::span<Pair> pairs;
};

struct AttributeExpr : Expr {
  Expr* object;
  std::string_view name;
  MethodName const* method;        ///< if some type of Python's has an attribute of this name
  Missing const* missing_in_dict;  ///< the undefined value for a dict without this key
};

struct ItemExpr : Expr {
  Expr* object;
  Expr* index;
};

struct SliceExpr : Expr {
  Expr* object;
  Expr* start;  ///< each may be null
  Expr* stop;
  Expr* step;
};

struct KeywordExpr {
  std::string_view name;
  Expr* value;
};

struct CallArguments {
  std::span<Expr*> positional;
  std::span<KeywordExpr> keywords;
  Expr* star = nullptr;
  Expr* double_star = nullptr;

  bool nothing() const noexcept { return positional.empty() && keywords.empty() && !star && !double_star; }
};

struct CallExpr : Expr {
  Expr* function;
  CallArguments arguments;
};

struct FilterExpr : Expr {
  Expr* subject;
  std::string_view name;
  CallArguments arguments;
  FilterFunction function;  ///< null for a name that Jinja does not know: an error when reached
};

struct TestExpr : Expr {
  Expr* subject;
  std::string_view name;
  CallArguments arguments;
  TestFunction function;
};

struct UnaryExpr : Expr {
  Expr* operand;
};

struct BinaryExpr : Expr {
  Expr* left;
  Expr* right;
};

enum class CompareOp : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };

struct Comparison {
  CompareOp op;
  Expr* operand;
};

struct CompareExpr : Expr {
  Expr* first;
  std::span<Comparison> rest;
};

struct ConditionalExpr : Expr {
  Expr* test;
  Expr* then;
  Expr* otherwise;  ///< null: undefined
};

// ---- statements

enum class StmtKind : std::uint8_t {
  text,
  output,
  if_,
  for_,
  set,
  set_block,
  macro,
  call_block,
  filter_block,
  with,
  generation,
  break_,
  continue_,
};

struct Stmt {
  StmtKind kind;
  int line;
};

using Block = std::span<Stmt*>;

/// What a scope does to a slot when it is entered: an outer variable is copied, or the slot has no value yet.
struct SlotInit {
  std::uint32_t slot;
  bool copied;
  VariableRef from;  ///< if copied
};

/// Filled by the resolver.
struct Scope {
  std::span<SlotInit> inits;
};

/// A function has activations of its own: the template, a macro, the body of a call block, a recursive loop.
struct Function {
  std::uint32_t slots = 0;
  bool captured = false;    ///< some function is defined inside, so that activations may be used after they ended
  std::uint16_t depth = 0;  ///< how deep its statements and expressions nest
};

enum class TargetKind : std::uint8_t { name, attribute, tuple };

struct Target {  ///< of set and for
  TargetKind kind;
  int line;
  std::string_view name;  ///< the variable; for attribute the namespace's
  std::string_view attribute;
  VariableRef ref;
  std::span<Target*> items;
};

struct TextStmt : Stmt {
  std::string_view text;
};

struct OutputStmt : Stmt {
  Expr* value;
};

struct Branch {
  Expr* test;
  Block body;
};

struct IfStmt : Stmt {
  std::span<Branch> branches;
  Block otherwise;
};

struct ForStmt : Stmt {
  Target* target;
  Expr* sequence;
  Expr* test;  ///< may be null
  Block body;
  Block otherwise;
  bool recursive;
  bool uses_loop;  ///< `loop` is a variable of the body
  std::uint32_t loop_slot;
  Target* test_target;  ///< a copy of the target, for the test's own scope; null without test
  Scope body_scope;
  Scope else_scope;
  Scope test_scope;
  Function function;  ///< if recursive
};

struct SetStmt : Stmt {
  Target* target;
  Expr* value;
};

struct SetBlockStmt : Stmt {
  Target* target;
  Expr* filter;  ///< over the captured text; that itself without a filter
  Block body;
  Scope scope;
};

struct Parameter {
  std::string_view name;
  Expr* fallback;  ///< default; may be null
  std::uint32_t slot;
  Missing const* missing;
};

struct MacroBody {
  std::string_view name;  ///< empty for the body of a call block
  std::span<Parameter> parameters;
  Block body;
  Scope scope;
  Function function;
  bool takes_caller = false;  ///< `caller` is passed besides the parameters
  bool takes_kwargs = false;
  bool takes_varargs = false;
  std::uint32_t caller_slot = 0;
  std::uint32_t kwargs_slot = 0;
  std::uint32_t varargs_slot = 0;
};

struct MacroStmt : Stmt {
  MacroBody macro;
  VariableRef ref;
};

struct CallBlockStmt : Stmt {
  MacroBody caller;
  CallExpr* call;
};

struct FilterBlockStmt : Stmt {
  Expr* filter;
  Block body;
  Scope scope;
};

struct WithStmt : Stmt {
  std::span<Target*> targets;
  std::span<Expr*> values;
  Block body;
  Scope scope;
};

struct GenerationStmt : Stmt {
  Block body;
  Scope scope;
};

}  // namespace kvgate::jinja
