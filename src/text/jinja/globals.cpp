#include "text/jinja/globals.hpp"

#include <algorithm>
#include <iterator>

#include "text/jinja/arguments.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

std::int64_t index_argument(Value const& value) {
  if (value.is_int()) return value.int64();
  if (value.is(Kind::big_integer)) over_limit("range() of integers over 64 bits");
  type_error(quoted(type_name(value)) + " object cannot be interpreted as an integer");
}

Value make_range(Runtime& runtime, Arguments const& arguments) {
  constexpr std::int64_t max_range = 100'000;
  constexpr std::int64_t widest = std::int64_t{1} << 62;  // so that no arithmetic on the bounds overflows
  auto const& values = arguments.positional;
  if (!arguments.keywords.empty()) type_error("range() takes no keyword arguments");
  if (values.empty() || values.size() > 3) {
    type_error("range expected 1 to 3 arguments, got " + std::to_string(values.size()));
  }
  std::int64_t const first = index_argument(values[0]);
  std::int64_t const start = values.size() > 1 ? first : 0;
  std::int64_t const stop = values.size() > 1 ? index_argument(values[1]) : first;
  std::int64_t const step = values.size() > 2 ? index_argument(values[2]) : 1;
  if (step == 0) value_error("range() arg 3 must not be zero");
  RangeObject const range{{ObjectKind::range}, start, stop, step};
  bool const wide = std::max({std::abs(start / 2), std::abs(stop / 2), std::abs(step / 2)}) > widest / 4;
  if (wide || range.size() > max_range) {
    raise("OverflowError", "Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).");
  }
  return Value::object(runtime.arena.create<RangeObject>(range));
}

void add_pairs(Runtime& runtime, Dict& dict, Value const& source) {
  if (source.is_dict()) {
    for (auto const& [key, value] : source.dict().entries()) dict.set(runtime.arena, key, value);
    return;
  }
  Iteration iteration(source);
  for (Value pair; iteration.next(runtime, pair);) {
    std::span<Value const> const items = items_of(runtime, pair);
    if (items.size() != 2) {
      value_error("dictionary update sequence element has length " + std::to_string(items.size()) + "; 2 is required");
    }
    if (!hashable(items[0])) type_error("unhashable type: " + quoted(type_name(items[0])));
    dict.set(runtime.arena, items[0], items[1]);
  }
}

Dict* dict_of(Runtime& runtime, Arguments const& arguments) {
  Dict* dict = Dict::create(runtime.arena, arguments.keywords.size());
  if (arguments.positional.size() > 1) {
    type_error("dict expected at most 1 argument, got " + std::to_string(arguments.positional.size()));
  }
  for (Value const& source : arguments.positional) add_pairs(runtime, *dict, source);
  for (Keyword const& keyword : arguments.keywords) dict->set(runtime.arena, keyword.name, keyword.value);
  return dict;
}

Value make_dict(Runtime& runtime, Arguments const& arguments) {
  return Value::dict(dict_of(runtime, arguments));
}

Value make_namespace(Runtime& runtime, Arguments const& arguments) {
  return Value::object(
      runtime.arena.create<NamespaceObject>(Object{ObjectKind::name_space}, dict_of(runtime, arguments)));
}

Value make_cycler(Runtime& runtime, Arguments const& arguments) {
  if (!arguments.keywords.empty()) type_error("Cycler() got an unexpected keyword argument");
  if (arguments.positional.empty()) raise("RuntimeError", "at least one item has to be provided");
  auto const items = runtime.keep(arguments.positional);
  return Value::object(runtime.arena.create<CyclerObject>(Object{ObjectKind::cycler}, items, std::size_t{0}));
}

Value make_joiner(Runtime& runtime, Arguments const& arguments) {
  Bound const bound(arguments, {"Joiner", {"sep"}});
  Value const separator = bound.get(0, Value::string(", "));
  return Value::object(runtime.arena.create<JoinerObject>(Object{ObjectKind::joiner}, separator, false));
}

Value raise_exception(Runtime& runtime, Arguments const& arguments) {
  Bound const bound(arguments, {"raise_exception", {"message"}, 1});
  fail(Failure::raised, "TemplateError", std::string(str_of(runtime, *bound[0])));
}

Value strftime_now(Runtime& runtime, Arguments const& arguments) {
  Bound const bound(arguments, {"strftime_now", {"format"}, 1});
  std::string_view const format = text_argument(*bound[0], "strftime");
  runtime.spend(1000);
  return runtime.text(strftime(runtime.now(), format));
}

constexpr FunctionObject function(std::string_view name, Value (*call)(Runtime&, Arguments const&)) {
  return {{ObjectKind::function}, name, call};
}

// Never written to, though values refer to objects without const.
FunctionObject functions[] = {
    function("range", make_range),
    function("dict", make_dict),
    function("lipsum", nullptr),
    function("cycler", make_cycler),
    function("joiner", make_joiner),
    function("namespace", make_namespace),
    function("raise_exception", raise_exception),
    function("strftime_now", strftime_now),
};

}  // namespace

Value find_global(std::string_view name) noexcept {
  auto* const at = std::find_if(std::begin(functions), std::end(functions),
                                [name](FunctionObject const& function) { return function.name == name; });
  return at == std::end(functions) ? Value() : Value::object(at);
}

}  // namespace kvgate::jinja
