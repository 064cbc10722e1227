#include <algorithm>
#include <string>
#include <vector>

#include "text/jinja/attributes.hpp"
#include "text/jinja/call_frame.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/methods.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/tests.hpp"

namespace kvgate::jinja {
namespace {

std::string macro_name(MacroBody const& macro) {
  return "macro " + (macro.name.empty() ? std::string("None") : quoted(macro.name));
}

}  // namespace

CallFrame::CallFrame(Interpreter& interpreter, CallArguments const& arguments, Value const& caller)
    : stack_(interpreter.stack_), mark_(stack_.mark()) {
  std::size_t const count = arguments.positional.size();
  Value* values = stack_.take(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = interpreter.eval(arguments.positional[i]);
  std::size_t const keyword_count = arguments.keywords.size() + (caller.is_undefined() ? 0 : 1);
  auto* keywords = stack_.take_raw<Keyword>(keyword_count);
  for (std::size_t i = 0; i < arguments.keywords.size(); ++i) {
    KeywordExpr const& keyword = arguments.keywords[i];
    new (keywords + i) Keyword{keyword.name, interpreter.eval(keyword.value)};
  }
  if (!caller.is_undefined()) new (keywords + keyword_count - 1) Keyword{"caller", caller};
  arguments_ = {{values, count}, {keywords, keyword_count}};
  if (arguments.star) add_star(interpreter, arguments);
  if (arguments.double_star) add_double_star(interpreter, arguments);
}

void CallFrame::add_star(Interpreter& interpreter, CallArguments const& arguments) {
  std::vector<Value> all(arguments_.positional.begin(), arguments_.positional.end());
  std::span<Value const> const more = items_of(interpreter.runtime_, interpreter.eval(arguments.star));
  all.insert(all.end(), more.begin(), more.end());
  arguments_.positional = interpreter.runtime_.keep(all);
}

void CallFrame::add_double_star(Interpreter& interpreter, CallArguments const& arguments) {
  std::vector<Keyword> all(arguments_.keywords.begin(), arguments_.keywords.end());
  Value const more = interpreter.eval(arguments.double_star);
  if (more.is_undefined()) raise_undefined(more.why_undefined());
  if (!more.is_dict()) type_error("argument after ** must be a mapping, not " + std::string(type_name(more)));
  for (auto const& [key, value] : more.dict().entries()) {
    if (!key.is_string()) type_error("keywords must be strings");
    for (Keyword const& keyword : arguments_.keywords) {
      if (keyword.name == key.text()) type_error("got multiple values for keyword argument " + quoted(key.text()));
    }
    all.push_back({key.text(), value});
  }
  Keyword* keywords = interpreter.runtime_.arena.allocate_array<Keyword>(all.size());
  std::copy(all.begin(), all.end(), keywords);
  arguments_.keywords = {keywords, all.size()};
}

Value Interpreter::call(CallExpr const& node) {
  if (node.function->kind == ExprKind::attribute) {
    auto const& attribute = static_cast<AttributeExpr const&>(*node.function);
    Value const self = eval(attribute.object);
    unsigned const owner = owner_of(self);
    if (attribute.method && (attribute.method->owners & owner) && !(attribute.method->unsafe & owner)) {
      CallFrame const frame(*this, node.arguments);
      return call_method(runtime_, *attribute.method, self, frame.arguments());
    }
    Value const function = get_attribute(runtime_, self, attribute);
    CallFrame const frame(*this, node.arguments);
    return call_value(function, frame.arguments());
  }
  Value const function = eval(node.function);
  CallFrame const frame(*this, node.arguments);
  return call_value(function, frame.arguments());
}

Value Interpreter::call_value(Value const& function, Arguments const& arguments) {
  runtime_.spend(1);
  if (function.is_undefined()) raise_undefined(function.why_undefined());
  if (!function.is(Kind::object)) type_error(quoted(type_name(function)) + " object is not callable");
  switch (function.object().kind) {
    case ObjectKind::macro: {
      std::size_t const from = out_.size();
      emit_macro(static_cast<MacroObject const&>(function.object()), arguments);
      return take_output(from);
    }
    case ObjectKind::function: {
      auto const& global = static_cast<FunctionObject const&>(function.object());
      if (!global.call) unsupported("the function " + quoted(global.name) + " is not supported");
      return global.call(runtime_, arguments);
    }
    case ObjectKind::method: {
      auto const& method = static_cast<MethodObject const&>(function.object());
      return call_method(runtime_, *method.name, method.self, arguments);
    }
    case ObjectKind::loop:
      return call_loop(static_cast<LoopObject&>(function.object()), arguments);
    case ObjectKind::joiner: {
      auto& joiner = static_cast<JoinerObject&>(function.object());
      if (joiner.used) return joiner.separator;
      joiner.used = true;
      return Value::string("");
    }
    default:
      type_error(quoted(type_name(function)) + " object is not callable");
  }
}

// What was written since `from`, as a text of its own.
Value Interpreter::take_output(std::size_t from) {
  Value const text = runtime_.text(std::string_view(out_).substr(from));
  out_.resize(from);
  return text;
}

void Interpreter::emit_macro(MacroObject const& macro, Arguments const& arguments) {
  MacroBody const& body = *macro.macro;
  depth_ += body.function.depth;
  if (depth_ > kMaxDepth) over_limit("macros call each other too deep");
  SlotStack::Mark const mark = stack_.mark();
  Activation local{macro.outer, nullptr, &body.function};
  Activation* const outer = activation_;
  if (body.function.captured) {
    activation_ = runtime_.arena.create<Activation>(local);
    activation_->slots = runtime_.arena.allocate_array<Value>(body.function.slots);
    std::fill_n(activation_->slots, body.function.slots, Value());
  } else {
    activation_ = &local;
    local.slots = stack_.take(body.function.slots);
  }
  bind(body, arguments);
  run_block(body.body);
  activation_ = outer;
  stack_.release(mark);
  depth_ -= body.function.depth;
}

void Interpreter::bind(MacroBody const& macro, Arguments const& arguments) {
  std::size_t const positional = std::min(arguments.positional.size(), macro.parameters.size());
  Value const not_passed = Value::undefined(&kNotPassed);
  for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
    activation_->slots[macro.parameters[i].slot] = i < positional ? arguments.positional[i] : not_passed;
  }
  bind_keywords(macro, arguments, positional);
  if (macro.takes_varargs) {
    activation_->slots[macro.varargs_slot] = Value::tuple(runtime_.keep(arguments.positional.subspan(positional)));
  } else if (arguments.positional.size() > positional) {
    type_error(macro_name(macro) + " takes not more than " + std::to_string(macro.parameters.size()) + " argument(s)");
  }
  enter(macro.scope);
  fill_defaults(macro);
}

void Interpreter::bind_keywords(MacroBody const& macro, Arguments const& arguments, std::size_t positional) {
  Dict* rest = macro.takes_kwargs ? Dict::create(runtime_.arena) : nullptr;
  if (macro.takes_caller) {
    activation_->slots[macro.caller_slot] = runtime_.undefined(Missing::Why::hint, "No caller defined");
  }
  for (Keyword const& keyword : arguments.keywords) {
    auto const* const begin = macro.parameters.data() + positional;
    auto const* const end = macro.parameters.data() + macro.parameters.size();
    auto const* found = std::find_if(begin, end, [&](Parameter const& p) { return p.name == keyword.name; });
    if (found != end) {
      activation_->slots[found->slot] = keyword.value;
    } else if (keyword.name == "caller" && macro.takes_caller) {
      if (!keyword.value.is_none()) activation_->slots[macro.caller_slot] = keyword.value;
    } else if (rest) {
      rest->set(runtime_.arena, keyword.name, keyword.value);
    } else if (keyword.name == "caller") {
      type_error(macro_name(macro) +
                 " was invoked with two values for the special caller argument. This is most likely "
                 "a bug.");
    } else {
      type_error(macro_name(macro) + " takes no keyword argument " + quoted(keyword.name));
    }
  }
  if (rest) activation_->slots[macro.kwargs_slot] = Value::dict(rest);
}

void Interpreter::fill_defaults(MacroBody const& macro) {
  for (Parameter const& parameter : macro.parameters) {
    Value& slot = activation_->slots[parameter.slot];
    if (!slot.is_undefined() || slot.why_undefined() != &kNotPassed) continue;
    Value const value = parameter.fallback ? eval(parameter.fallback) : Value::undefined(parameter.missing);
    activation_->slots[parameter.slot] = value;
  }
}

Value Interpreter::filter(FilterExpr const& node) {
  if (!node.function) raise("TemplateRuntimeError", "No filter named " + quoted(node.name) + " found.");
  Value const subject = eval(node.subject);
  if (node.arguments.nothing()) return node.function(runtime_, subject, {});
  CallFrame const frame(*this, node.arguments);
  return node.function(runtime_, subject, frame.arguments());
}

bool Interpreter::test(TestExpr const& node) {
  if (!node.function) raise("TemplateRuntimeError", "No test named " + quoted(node.name) + " found.");
  Value const subject = eval(node.subject);
  if (node.arguments.nothing()) return node.function(runtime_, subject, {});
  CallFrame const frame(*this, node.arguments);
  return node.function(runtime_, subject, frame.arguments());
}

}  // namespace kvgate::jinja
