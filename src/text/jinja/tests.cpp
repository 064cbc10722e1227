#include "text/jinja/tests.hpp"

#include <algorithm>
#include <iterator>

#include "text/jinja/arguments.hpp"
#include "text/jinja/compare.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/filters.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/python_text.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_methods.hpp"

namespace kvgate::jinja {
namespace {

void no_arguments(Arguments const& arguments) {
  if (!arguments.empty()) type_error("test takes 1 positional argument but more were given");
}

Value const& one_argument(Arguments const& arguments) {
  if (arguments.positional.size() != 1 || !arguments.keywords.empty()) type_error("test takes exactly one argument");
  return arguments.positional.front();
}

/// A test of the value alone.
template <bool (*Has)(Value const&)>
bool plain(Runtime&, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  return Has(subject);
}

bool is_callable(Value const& value) {
  if (value.is_undefined()) return true;  // Jinja's Undefined has __call__
  if (!value.is(Kind::object)) return false;
  switch (value.object().kind) {
    case ObjectKind::macro:
    case ObjectKind::function:
    case ObjectKind::method:
    case ObjectKind::loop:
    case ObjectKind::joiner:
      return true;
    default:
      return false;
  }
}

bool is_sequence_like(Value const& value) {
  return value.is_undefined() || value.is_string() || value.is_sequence() || value.is_dict() ||
         object_as<RangeObject>(value, ObjectKind::range);
}

bool remainder_is(Runtime& runtime, Value const& value, Value const& divisor, std::int64_t expected) {
  return equals(runtime, arithmetic(runtime, ExprKind::modulo, value, divisor), Value::integer(expected));
}

bool test_odd(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  return remainder_is(runtime, subject, Value::integer(2), 1);
}
bool test_even(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  return remainder_is(runtime, subject, Value::integer(2), 0);
}
bool test_divisibleby(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"test_divisibleby", {"num"}, 1});
  return remainder_is(runtime, subject, *bound[0], 0);
}

bool test_lower(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  return all_lower(str_of(runtime, subject));
}
bool test_upper(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  return all_upper(str_of(runtime, subject));
}

// The name is looked up in a dict.
void must_be_hashable(Value const& value) {
  if (!hashable(value)) type_error("unhashable type: " + quoted(type_name(value)));
}

bool test_filter(Runtime&, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  must_be_hashable(subject);
  return subject.is_string() && is_filter(subject.text());
}
bool test_test(Runtime&, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  must_be_hashable(subject);
  return subject.is_string() && find_test(subject.text());
}

bool test_sameas(Runtime&, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"test_sameas", {"other"}, 1});
  return same(subject, *bound[0]);
}
bool test_in(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"test_in", {"seq"}, 1});
  return contains(runtime, *bound[0], subject);
}

bool test_equal(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return equals(runtime, subject, one_argument(arguments));
}
bool test_not_equal(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return !equals(runtime, subject, one_argument(arguments));
}
template <CompareOp Op>
bool test_order(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return ordered(runtime, Op, subject, one_argument(arguments));
}

bool is_undefined(Value const& value) {
  return value.is_undefined();
}
bool is_none(Value const& value) {
  return value.is_none();
}
bool is_boolean(Value const& value) {
  return value.is(Kind::boolean);
}
bool is_false(Value const& value) {
  return value.is(Kind::boolean) && !value.boolean();
}
bool is_true(Value const& value) {
  return value.is(Kind::boolean) && value.boolean();
}
bool is_integer(Value const& value) {
  return value.is(Kind::integer) || value.is(Kind::big_integer);
}
bool is_float(Value const& value) {
  return value.is(Kind::floating);
}
bool is_text(Value const& value) {
  return value.is_string();
}
bool is_mapping(Value const& value) {
  return value.is_dict();
}
bool is_number(Value const& value) {
  return value.is_number();
}
bool is_iterable(Value const& value) {
  return iterable(value);
}
bool is_escaped(Value const& value) {
  return value.is(Kind::markup);
}

struct Row {
  std::string_view name;
  TestFunction function;
};

constexpr Row kTests[] = {
    {"!=", test_not_equal},
    {"<", test_order<CompareOp::less>},
    {"<=", test_order<CompareOp::less_equal>},
    {"==", test_equal},
    {">", test_order<CompareOp::greater>},
    {">=", test_order<CompareOp::greater_equal>},
    {"boolean", plain<is_boolean>},
    {"callable", plain<is_callable>},
    {"defined", test_defined},
    {"divisibleby", test_divisibleby},
    {"eq", test_equal},
    {"equalto", test_equal},
    {"escaped", plain<is_escaped>},
    {"even", test_even},
    {"false", plain<is_false>},
    {"filter", test_filter},
    {"float", plain<is_float>},
    {"ge", test_order<CompareOp::greater_equal>},
    {"greaterthan", test_order<CompareOp::greater>},
    {"gt", test_order<CompareOp::greater>},
    {"in", test_in},
    {"integer", plain<is_integer>},
    {"iterable", plain<is_iterable>},
    {"le", test_order<CompareOp::less_equal>},
    {"lessthan", test_order<CompareOp::less>},
    {"lower", test_lower},
    {"lt", test_order<CompareOp::less>},
    {"mapping", plain<is_mapping>},
    {"ne", test_not_equal},
    {"none", plain<is_none>},
    {"number", plain<is_number>},
    {"odd", test_odd},
    {"sameas", test_sameas},
    {"sequence", plain<is_sequence_like>},
    {"string", plain<is_text>},
    {"test", test_test},
    {"true", plain<is_true>},
    {"undefined", plain<is_undefined>},
    {"upper", test_upper},
};

}  // namespace

bool test_defined(Runtime&, Value const& subject, Arguments const& arguments) {
  no_arguments(arguments);
  return !subject.is_undefined();
}

TestFunction find_test(std::string_view name) noexcept {
  auto const at =
      std::find_if(std::begin(kTests), std::end(kTests), [name](Row const& row) { return row.name == name; });
  return at == std::end(kTests) ? nullptr : at->function;
}

}  // namespace kvgate::jinja
