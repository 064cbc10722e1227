// The arguments of one call while it runs.
#pragma once

#include "text/jinja/interpreter.hpp"

namespace kvgate::jinja {

/// Evaluates arguments onto the interpreter's stack and gives the room back in the end.
class CallFrame {
 public:
  /// `caller` is passed as one more keyword unless it is undefined.
  CallFrame(Interpreter& interpreter, CallArguments const& arguments, Value const& caller = {});
  ~CallFrame() { stack_.release(mark_); }
  CallFrame(CallFrame const&) = delete;

  Arguments const& arguments() const noexcept { return arguments_; }

 private:
  void add_star(Interpreter& interpreter, CallArguments const& arguments);
  void add_double_star(Interpreter& interpreter, CallArguments const& arguments);

  SlotStack& stack_;
  SlotStack::Mark mark_;
  Arguments arguments_;
};

}  // namespace kvgate::jinja
