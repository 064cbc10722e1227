#include "text/jinja/methods.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include "text/jinja/container_methods.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_methods.hpp"

namespace kvgate::jinja {
namespace {

constexpr unsigned kSequences = on_list | on_tuple;
constexpr unsigned kNumbers = on_int | on_float;

// Sorted by name. Without a function: Python has it, this engine does not.
constexpr MethodName kMethods[] = {
    {"__add__", on_everything, on_everything},
    {"__class__", on_everything, on_everything},
    {"__class_getitem__", on_everything, on_everything},
    {"__contains__", on_everything, on_everything},
    {"__delattr__", on_everything, on_everything},
    {"__dict__", on_everything, on_everything},
    {"__dir__", on_everything, on_everything},
    {"__doc__", on_everything, on_everything},
    {"__eq__", on_everything, on_everything},
    {"__format__", on_everything, on_everything},
    {"__getattribute__", on_everything, on_everything},
    {"__getitem__", on_everything, on_everything},
    {"__hash__", on_everything, on_everything},
    {"__init__", on_everything, on_everything},
    {"__init_subclass__", on_everything, on_everything},
    {"__iter__", on_everything, on_everything},
    {"__len__", on_everything, on_everything},
    {"__module__", on_everything, on_everything},
    {"__ne__", on_everything, on_everything},
    {"__new__", on_everything, on_everything},
    {"__reduce__", on_everything, on_everything},
    {"__reduce_ex__", on_everything, on_everything},
    {"__repr__", on_everything, on_everything},
    {"__setattr__", on_everything, on_everything},
    {"__sizeof__", on_everything, on_everything},
    {"__str__", on_everything, on_everything},
    {"__subclasshook__", on_everything, on_everything},
    {"append", on_list, on_list},
    {"as_integer_ratio", kNumbers, 0},
    {"bit_count", on_int, 0},
    {"bit_length", on_int, 0},
    {"capitalize", on_text, 0, text_capitalize},
    {"casefold", on_text, 0, text_casefold},
    {"center", on_text, 0, text_center},
    {"changed", on_loop, 0},
    {"clear", on_list | on_dict, on_list | on_dict},
    {"conjugate", kNumbers, 0},
    {"copy", on_list | on_dict, 0, nullptr, sequence_copy, dict_copy},
    {"count", on_text | kSequences | on_range, 0, text_count, sequence_count},
    {"cycle", on_loop, 0},
    {"denominator", on_int, 0},
    {"encode", on_text, 0},
    {"endswith", on_text, 0, text_endswith},
    {"expandtabs", on_text, 0, text_expandtabs},
    {"extend", on_list, on_list},
    {"find", on_text, 0, text_find},
    {"format", on_text, 0, text_format},
    {"format_map", on_text, 0, text_format_map},
    {"from_bytes", on_int, 0},
    {"fromhex", on_float, 0},
    {"fromkeys", on_dict, 0},
    {"get", on_dict, 0, nullptr, nullptr, dict_get},
    {"hex", on_float, 0},
    {"imag", kNumbers, 0},
    {"index", on_text | kSequences | on_range, 0, text_index, sequence_index},
    {"insert", on_list, on_list},
    {"is_integer", on_float, 0, nullptr, nullptr, nullptr, float_is_integer},
    {"isalnum", on_text, 0, text_isalnum},
    {"isalpha", on_text, 0, text_isalpha},
    {"isascii", on_text, 0, text_isascii},
    {"isdecimal", on_text, 0, text_isdecimal},
    {"isdigit", on_text, 0, text_isdigit},
    {"isdisjoint", on_view, 0},
    {"isidentifier", on_text, 0},
    {"islower", on_text, 0, text_islower},
    {"isnumeric", on_text, 0, text_isnumeric},
    {"isprintable", on_text, 0, text_isprintable},
    {"isspace", on_text, 0, text_isspace},
    {"istitle", on_text, 0, text_istitle},
    {"isupper", on_text, 0, text_isupper},
    {"items", on_dict, 0, nullptr, nullptr, dict_items},
    {"join", on_text, 0, text_join},
    {"keys", on_dict, 0, nullptr, nullptr, dict_keys},
    {"ljust", on_text, 0, text_ljust},
    {"lower", on_text, 0, text_lower},
    {"lstrip", on_text, 0, text_lstrip},
    {"maketrans", on_text, 0},
    {"mapping", on_view, 0},
    {"next", on_cycler, 0},
    {"numerator", on_int, 0},
    {"partition", on_text, 0, text_partition},
    {"pop", on_list | on_dict, on_list | on_dict},
    {"popitem", on_dict, on_dict},
    {"real", kNumbers, 0},
    {"remove", on_list, on_list},
    {"removeprefix", on_text, 0, text_removeprefix},
    {"removesuffix", on_text, 0, text_removesuffix},
    {"replace", on_text, 0, text_replace},
    {"reset", on_cycler, 0},
    {"reverse", on_list, on_list},
    {"rfind", on_text, 0, text_rfind},
    {"rindex", on_text, 0, text_rindex},
    {"rjust", on_text, 0, text_rjust},
    {"rpartition", on_text, 0, text_rpartition},
    {"rsplit", on_text, 0, text_rsplit},
    {"rstrip", on_text, 0, text_rstrip},
    {"setdefault", on_dict, on_dict},
    {"sort", on_list, on_list},
    {"split", on_text, 0, text_split},
    {"splitlines", on_text, 0, text_splitlines},
    {"start", on_range, 0},
    {"startswith", on_text, 0, text_startswith},
    {"step", on_range, 0},
    {"stop", on_range, 0},
    {"strip", on_text, 0, text_strip},
    {"swapcase", on_text, 0, text_swapcase},
    {"title", on_text, 0, text_title},
    {"to_bytes", on_int, 0},
    {"translate", on_text, 0},
    {"update", on_dict, on_dict},
    {"upper", on_text, 0, text_upper},
    {"values", on_dict, 0, nullptr, nullptr, dict_values},
    {"zfill", on_text, 0, text_zfill},
};

constexpr bool sorted() {
  for (std::size_t i = 1; i < std::size(kMethods); ++i) {
    if (!(kMethods[i - 1].name < kMethods[i].name)) return false;
  }
  return true;
}
static_assert(sorted());

// Lengths of the names that begin with a character, as bits: most words are no method's name.
constexpr std::array<std::uint32_t, 128> kLengths = [] {
  std::array<std::uint32_t, 128> lengths{};
  for (MethodName const& row : kMethods) lengths[static_cast<unsigned char>(row.name[0])] |= 1u << row.name.size();
  return lengths;
}();

bool may_be_method(std::string_view name) noexcept {
  return !name.empty() && name.size() < 32 && static_cast<unsigned char>(name[0]) < 128 &&
         (kLengths[static_cast<unsigned char>(name[0])] >> name.size() & 1) != 0;
}

unsigned owner_of_object(Object const& object) noexcept {
  switch (object.kind) {
    case ObjectKind::range:
      return on_range;
    case ObjectKind::dict_keys:
    case ObjectKind::dict_values:
    case ObjectKind::dict_items:
      return on_view;
    case ObjectKind::loop:
      return on_loop;
    case ObjectKind::cycler:
      return on_cycler;
    default:
      return 0;
  }
}

MethodFunction function_of(MethodName const& method, unsigned owner) noexcept {
  if (owner & on_text) return method.text;
  if (owner & kSequences) return method.sequence;
  if (owner & on_dict) return method.dict;
  return owner & kNumbers ? method.number : nullptr;
}

}  // namespace

MethodName const* find_method(std::string_view name) noexcept {
  if (!may_be_method(name)) return nullptr;
  auto const at = std::lower_bound(std::begin(kMethods), std::end(kMethods), name,
                                   [](MethodName const& row, std::string_view wanted) { return row.name < wanted; });
  return at != std::end(kMethods) && at->name == name ? at : nullptr;
}

unsigned owner_of(Value const& value) noexcept {
  switch (value.kind()) {
    case Kind::string:
    case Kind::markup:
      return on_text;
    case Kind::list:
      return on_list;
    case Kind::tuple:
      return on_tuple;
    case Kind::dict:
      return on_dict;
    case Kind::boolean:
    case Kind::integer:
    case Kind::big_integer:
      return on_int;
    case Kind::floating:
      return on_float;
    case Kind::object:
      return owner_of_object(value.object());
    default:
      return 0;
  }
}

Value call_method(Runtime& runtime, MethodName const& method, Value const& self, Arguments const& arguments) {
  runtime.spend(1);
  unsigned const owner = owner_of(self);
  if (MethodFunction const function = function_of(method, owner)) return function(runtime, self, arguments);
  if (owner == on_loop)
    return call_loop_method(runtime, method.name, static_cast<LoopObject&>(self.object()), arguments);
  if (owner == on_cycler) return call_cycler_method(method.name, static_cast<CyclerObject&>(self.object()));
  unsupported("the method " + quoted(method.name) + " of " + quoted(type_name(self)) + " is not supported");
}

}  // namespace kvgate::jinja
