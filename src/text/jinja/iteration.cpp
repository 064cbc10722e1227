#include "text/jinja/iteration.hpp"

#include <string>

#include "text/jinja/code_points.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/runtime.hpp"

namespace kvgate::jinja {
namespace {

[[noreturn]] void not_iterable(Value const& value) {
  type_error(quoted(type_name(value)) + " object is not iterable");
}

Value pair_of(Runtime& runtime, Dict::Entry const& entry) {
  return runtime.tuple({entry.key, entry.value});
}

}  // namespace

Iteration::Iteration(Value const& iterable) {
  switch (iterable.kind()) {
    case Kind::undefined:
      return;
    case Kind::list:
    case Kind::tuple:
      item_ = iterable.items().data();
      last_item_ = item_ + iterable.items().size();
      return;
    case Kind::string:
    case Kind::markup:
      source_ = Source::text;
      text_ = iterable;
      return;
    case Kind::dict:
      source_ = Source::keys;
      entry_ = iterable.dict().entries().data();
      last_entry_ = entry_ + iterable.dict().size();
      return;
    case Kind::object:
      break;
    default:
      not_iterable(iterable);
  }
  switch (iterable.object().kind) {
    case ObjectKind::dict_keys:
    case ObjectKind::dict_values:
    case ObjectKind::dict_items: {
      auto const& view = static_cast<DictViewObject const&>(iterable.object());
      source_ = view.kind == ObjectKind::dict_keys     ? Source::keys
                : view.kind == ObjectKind::dict_values ? Source::values
                                                       : Source::pairs;
      entry_ = view.dict->entries().data();
      last_entry_ = entry_ + view.dict->size();
      return;
    }
    case ObjectKind::range: {
      auto const& range = static_cast<RangeObject const&>(iterable.object());
      source_ = Source::range;
      number_ = range.start;
      step_ = range.step;
      left_ = range.size();
      return;
    }
    case ObjectKind::iterator:
      source_ = Source::iterator;
      iterator_ = static_cast<IteratorObject*>(&iterable.object());
      return;
    case ObjectKind::loop:
      unsupported("iterating over 'loop' is not supported");
    default:
      not_iterable(iterable);
  }
}

bool Iteration::next(Runtime& runtime, Value& out) {
  runtime.spend(1);
  switch (source_) {
    case Source::items:
      if (item_ == last_item_) return false;
      out = *item_++;
      return true;
    case Source::text: {
      std::string_view const text = text_.text();
      if (at_ == text.size()) return false;
      std::size_t const width = width_at(text, at_);
      out = Value::string(text.substr(at_, width));  // of markup too
      at_ += width;
      return true;
    }
    case Source::range:
      if (left_ == 0) return false;
      out = Value::integer(number_);
      number_ += --left_ > 0 ? step_ : 0;
      return true;
    case Source::iterator:
      return iterator_->advance(runtime, *iterator_, out);
    case Source::keys:
    case Source::values:
    case Source::pairs:
      break;
  }
  if (entry_ == last_entry_) return false;
  Dict::Entry const& entry = *entry_++;
  out = source_ == Source::keys ? entry.key : source_ == Source::values ? entry.value : pair_of(runtime, entry);
  return true;
}

bool iterable(Value const& value) noexcept {
  switch (value.kind()) {
    case Kind::undefined:
    case Kind::string:
    case Kind::markup:
    case Kind::list:
    case Kind::tuple:
    case Kind::dict:
      return true;
    case Kind::object:
      break;
    default:
      return false;
  }
  switch (value.object().kind) {
    case ObjectKind::loop:
    case ObjectKind::range:
    case ObjectKind::dict_keys:
    case ObjectKind::dict_values:
    case ObjectKind::dict_items:
    case ObjectKind::iterator:
      return true;
    default:
      return false;
  }
}

std::span<Value const> items_of(Runtime& runtime, Value const& iterable) {
  if (iterable.is_sequence()) return iterable.items();
  std::vector<Value> items;
  Iteration iteration(iterable);
  for (Value item; iteration.next(runtime, item);) {
    items.push_back(item);
    runtime.check_size(items.size() * sizeof(Value));
  }
  return runtime.keep(items);
}

std::optional<std::int64_t> length_of(Runtime& runtime, Value const& value) {
  auto const of = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  switch (value.kind()) {
    case Kind::undefined:
      return 0;
    case Kind::string:
    case Kind::markup:
      runtime.spend_bytes(value.text().size());
      return of(length(value.text()));
    case Kind::list:
    case Kind::tuple:
      return of(value.items().size());
    case Kind::dict:
      return of(value.dict().size());
    case Kind::object:
      break;
    default:
      return std::nullopt;
  }
  switch (value.object().kind) {
    case ObjectKind::dict_keys:
    case ObjectKind::dict_values:
    case ObjectKind::dict_items:
      return of(static_cast<DictViewObject const&>(value.object()).dict->size());
    case ObjectKind::range:
      return static_cast<RangeObject const&>(value.object()).size();
    case ObjectKind::loop:
      return static_cast<LoopObject&>(value.object()).count(runtime);
    default:
      return std::nullopt;
  }
}

}  // namespace kvgate::jinja
