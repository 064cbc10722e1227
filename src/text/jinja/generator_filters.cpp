#include <algorithm>
#include <string>

#include "text/jinja/attribute_path.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/filter_functions.hpp"
#include "text/jinja/filters.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/tests.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

constexpr std::uint32_t kMaxChained = 100;

/// A generator: it looks at its arguments and begins to iterate when it is first asked, as Python's do.
struct Generator : IteratorObject {
  Value subject;
  Arguments arguments;
  bool begun = false;
  Iteration source;
  AttributePath path;
  FilterFunction filter = nullptr;
  TestFunction test = nullptr;
  bool keep_if = true;  ///< select keeps what passes, reject the rest
};

using Advance = bool (*)(Runtime&, IteratorObject&, Value&);

Arguments keep_arguments(Runtime& runtime, Arguments const& arguments, std::size_t from = 0) {
  Keyword* keywords = runtime.arena.allocate_array<Keyword>(arguments.keywords.size());
  std::copy(arguments.keywords.begin(), arguments.keywords.end(), keywords);
  from = std::min(from, arguments.positional.size());
  return {runtime.keep(arguments.positional.subspan(from)), {keywords, arguments.keywords.size()}};
}

Value make_generator(Runtime& runtime, Value const& subject, Arguments const& arguments, Advance advance,
                     bool keep_if = true) {
  auto const* inner = object_as<IteratorObject>(subject, ObjectKind::iterator);
  std::uint32_t const depth = inner ? inner->depth + 1 : 1;
  if (depth > kMaxChained) over_limit("too many generators feed each other");
  auto* generator = runtime.arena.create<Generator>();
  static_cast<IteratorObject&>(*generator) = {{ObjectKind::iterator}, advance, "generator", depth};
  generator->subject = subject;
  generator->arguments = keep_arguments(runtime, arguments);
  generator->keep_if = keep_if;
  return Value::object(generator);
}

// ---- map, select, reject

void begin_map(Runtime& runtime, Generator& self) {
  Arguments const arguments = self.arguments;
  bool const by_attribute = arguments.positional.empty() && !arguments.keywords.empty() &&
                            std::any_of(arguments.keywords.begin(), arguments.keywords.end(),
                                        [](Keyword const& keyword) { return keyword.name == "attribute"; });
  if (by_attribute) {
    for (Keyword const& keyword : arguments.keywords) {
      if (keyword.name != "attribute" && keyword.name != "default") {
        raise("FilterArgumentError", "Unexpected keyword argument " + quoted(keyword.name));
      }
    }
    Bound const bound(arguments, {"map", {"attribute", "default"}});
    self.path = attribute_path(runtime, *bound[0]);
    self.path.fallback = bound.get(1, Value::none());
    return;
  }
  if (arguments.positional.empty()) raise("FilterArgumentError", "map requires a filter argument");
  std::string_view const name = text_argument(arguments.positional.front(), "map");
  self.filter = find_filter(name, 0);
  if (!self.filter) raise("TemplateRuntimeError", "No filter named " + quoted(name) + ".");
  self.arguments = keep_arguments(runtime, arguments, 1);
}

bool advance_map(Runtime& runtime, IteratorObject& object, Value& out) {
  auto& self = static_cast<Generator&>(object);
  if (!self.begun) {
    self.begun = true;
    if (truthy(self.subject)) {
      begin_map(runtime, self);
      self.source = Iteration(self.subject);
    }
  }
  if (!self.source.next(runtime, out)) return false;
  out = self.filter ? self.filter(runtime, out, self.arguments) : self.path.of(runtime, out);
  return true;
}

void begin_selection(Runtime& runtime, Generator& self, bool by_attribute) {
  auto const positional = self.arguments.positional;
  std::size_t used = 0;
  if (by_attribute) {
    if (positional.empty()) raise("FilterArgumentError", "Missing parameter for attribute name");
    self.path = attribute_path(runtime, positional[used++]);
  }
  if (used == positional.size()) return;
  std::string_view const name = text_argument(positional[used++], "select");
  self.test = find_test(name);
  if (!self.test) raise("TemplateRuntimeError", "No test named " + quoted(name) + ".");
  self.arguments = keep_arguments(runtime, self.arguments, used);
}

template <bool ByAttribute>
bool advance_selection(Runtime& runtime, IteratorObject& object, Value& out) {
  auto& self = static_cast<Generator&>(object);
  if (!self.begun) {
    self.begun = true;
    if (truthy(self.subject)) {
      begin_selection(runtime, self, ByAttribute);
      self.source = Iteration(self.subject);
    }
  }
  while (self.source.next(runtime, out)) {
    Value const tested = self.path.of(runtime, out);
    if ((self.test ? self.test(runtime, tested, self.arguments) : truthy(tested)) == self.keep_if) return true;
  }
  return false;
}

// ---- those that make their items all at once, at the first request

using MakeList = std::span<Value const> (*)(Runtime&, Value const& subject, Arguments const&);

template <MakeList Make>
bool advance_list(Runtime& runtime, IteratorObject& object, Value& out) {
  auto& self = static_cast<Generator&>(object);
  if (!self.begun) {
    self.begun = true;
    self.source = Iteration(Value::list(Make(runtime, self.subject, self.arguments)));
  }
  return self.source.next(runtime, out);
}

std::span<Value const> make_items(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_items", {}});
  if (subject.is_undefined()) return {};
  if (!subject.is_dict()) type_error("Can only get item pairs from a mapping.");
  std::vector<Value> pairs;
  for (auto const& [key, value] : subject.dict().entries()) pairs.push_back(runtime.tuple({key, value}));
  return runtime.keep(pairs);
}

std::span<Value const> make_unique(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_unique", {"case_sensitive", "attribute"}});
  AttributePath path = attribute_path(runtime, bound.get(1, Value::none()));
  path.fold_case = !bound[0] || !truthy(*bound[0]);
  Dict* seen = Dict::create(runtime.arena);
  std::vector<Value> items;
  Iteration iteration(subject);
  for (Value item; iteration.next(runtime, item);) {
    Value const key = path.of(runtime, item);
    if (!hashable(key)) type_error("unhashable type: " + quoted(type_name(key)));
    if (seen->find(key)) continue;
    seen->set(runtime.arena, key, Value::none());
    items.push_back(item);
  }
  return runtime.keep(items);
}

// [fill] * count after the items, if there is something to fill with.
void fill_up(Runtime& runtime, std::vector<Value>& items, Value const& fill, std::int64_t count) {
  if (fill.is_none() || count <= 0) return;
  runtime.check_size((items.size() + static_cast<std::size_t>(count)) * sizeof(Value));
  runtime.spend(static_cast<std::uint64_t>(count) / 16);
  items.insert(items.end(), static_cast<std::size_t>(count), fill);
}

std::span<Value const> make_batches(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_batch", {"linecount", "fill_with"}, 1});
  std::int64_t const size = int_argument(*bound[0], "batch");
  std::vector<Value> batches, batch;
  Iteration iteration(subject);
  for (Value item; iteration.next(runtime, item); batch.push_back(item)) {
    if (static_cast<std::int64_t>(batch.size()) != size) continue;
    batches.push_back(runtime.list(batch));
    batch.clear();
  }
  if (!batch.empty()) {
    fill_up(runtime, batch, bound.get(1, Value::none()), size - static_cast<std::int64_t>(batch.size()));
    batches.push_back(runtime.list(batch));
  }
  return runtime.keep(batches);
}

std::span<Value const> make_slices(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_slice", {"slices", "fill_with"}, 1});
  std::int64_t const count = int_argument(*bound[0], "slice");
  std::span<Value const> const items = items_of(runtime, subject);
  if (count == 0) raise("ZeroDivisionError", "integer division or modulo by zero");
  std::vector<Value> slices;
  std::size_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    runtime.spend(1);
    auto const size = static_cast<std::int64_t>(items.size());
    auto const width = static_cast<std::size_t>(size / count + (i < size % count ? 1 : 0));
    std::vector<Value> slice(items.begin() + static_cast<std::ptrdiff_t>(at),
                             items.begin() + static_cast<std::ptrdiff_t>(at + width));
    if (i >= size % count) fill_up(runtime, slice, bound.get(1, Value::none()), 1);
    slices.push_back(runtime.list(slice));
    at += width;
  }
  return runtime.keep(slices);
}

}  // namespace

Value filter_map(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_map);
}
Value filter_select(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_selection<false>, true);
}
Value filter_reject(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_selection<false>, false);
}
Value filter_selectattr(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_selection<true>, true);
}
Value filter_rejectattr(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_selection<true>, false);
}
Value filter_items(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_list<make_items>);
}
Value filter_unique(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_list<make_unique>);
}
Value filter_batch(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_list<make_batches>);
}
Value filter_slice(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  return make_generator(runtime, subject, arguments, advance_list<make_slices>);
}

}  // namespace kvgate::jinja
