#include <algorithm>
#include <vector>

#include "text/jinja/attribute_path.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/filter_functions.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

struct Keyed {
  Value key;
  Value item;
};

// Python's sorted(): stable, also when reversed.
void sort_by_key(Runtime& runtime, std::vector<Keyed>& rows, bool reverse) {
  std::stable_sort(rows.begin(), rows.end(), [&runtime, reverse](Keyed const& a, Keyed const& b) {
    return ordered(runtime, CompareOp::less, reverse ? b.key : a.key, reverse ? a.key : b.key);
  });
}

Value items_list(Runtime& runtime, std::vector<Keyed> const& rows) {
  Value* items = runtime.arena.allocate_array<Value>(rows.size());
  std::transform(rows.begin(), rows.end(), items, [](Keyed const& row) { return row.item; });
  return Value::list({items, rows.size()});
}

bool flag(Bound const& bound, std::size_t at) {
  return bound[at] && truthy(*bound[at]);
}

// The attributes of `attribute`, which may name several with commas between.
std::vector<AttributePath> attribute_paths(Runtime& runtime, Value const& attribute, bool fold) {
  std::vector<AttributePath> paths;
  if (attribute.is_string()) {
    for (std::string_view const part : split_at(attribute.text(), ",", -1)) {
      paths.push_back(attribute_path(runtime, Value::string(part)));
    }
  } else {
    paths.push_back(attribute_path(runtime, attribute));
  }
  for (AttributePath& path : paths) path.fold_case = fold;
  return paths;
}

}  // namespace

Value filter_sort(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_sort", {"reverse", "case_sensitive", "attribute"}});
  auto const paths = attribute_paths(runtime, bound.get(2, Value::none()), !flag(bound, 1));
  std::vector<Keyed> rows;
  Iteration iteration(subject);
  for (Value item; iteration.next(runtime, item);) {
    std::vector<Value> key;
    for (AttributePath const& path : paths) key.push_back(path.of(runtime, item));
    rows.push_back({runtime.list(key), item});  // a list of one too: it does not compare what is equal
  }
  sort_by_key(runtime, rows, flag(bound, 0));
  return items_list(runtime, rows);
}

Value filter_dictsort(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_dictsort", {"case_sensitive", "by", "reverse"}});
  std::string_view const by = bound[1] && bound[1]->is_string() ? bound[1]->text() : bound[1] ? "" : "key";
  if (by != "key" && by != "value") {
    raise("FilterArgumentError", "You can only sort by either \"key\" or \"value\"");
  }
  if (subject.is_undefined()) raise_undefined(subject.why_undefined());
  if (!subject.is_dict()) raise("AttributeError", quoted(type_name(subject)) + " object has no attribute 'items'");
  std::vector<Keyed> rows;
  for (auto const& [key, value] : subject.dict().entries()) {
    Value const sorted_by = by == "key" ? key : value;
    rows.push_back({flag(bound, 0) ? sorted_by : fold_case(runtime, sorted_by), runtime.tuple({key, value})});
  }
  sort_by_key(runtime, rows, flag(bound, 2));
  return items_list(runtime, rows);
}

Value filter_groupby(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  Bound const bound(arguments, {"do_groupby", {"attribute", "default", "case_sensitive"}, 1});
  AttributePath real = attribute_path(runtime, *bound[0]);
  real.fallback = bound.get(1, Value::none());
  AttributePath path = real;
  path.fold_case = !flag(bound, 2);
  std::vector<Keyed> rows;
  Iteration iteration(subject);
  for (Value item; iteration.next(runtime, item);) rows.push_back({path.of(runtime, item), item});
  sort_by_key(runtime, rows, false);
  std::vector<Value> groups;
  for (std::size_t first = 0; first < rows.size();) {
    std::vector<Value> members;
    std::size_t at = first;
    for (; at < rows.size() && equals(runtime, rows[first].key, rows[at].key); ++at) members.push_back(rows[at].item);
    if (at == first) members.push_back(rows[at++].item);  // NaN equals nothing
    Value const group[] = {real.of(runtime, rows[first].item), runtime.list(members)};
    groups.push_back(Value::group(runtime.keep(group)));
    first = at;
  }
  return runtime.list(groups);
}

}  // namespace kvgate::jinja
