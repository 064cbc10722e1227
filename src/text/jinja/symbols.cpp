#include "text/jinja/symbols.hpp"

namespace kvgate::jinja {

Ident Symbols::define(std::string_view name, Load load) {
  auto const [at, fresh] = slots_->try_emplace(name, Ident{function_, function_->function->slots});
  if (fresh) ++function_->function->slots;
  names_[name] = at->second;
  loads_[at->second] = load;
  return at->second;
}

Ident Symbols::find(std::string_view name) const {
  for (Symbols const* scope = this; scope; scope = scope->parent_) {
    auto const found = scope->names_.find(name);
    if (found != scope->names_.end()) return found->second;
  }
  return {};
}

void Symbols::read(std::string_view name) {
  if (!find(name).function) define(name, {Load::Kind::lookup, name, {}});
}

void Symbols::store(std::string_view name) {
  stores_.insert(name);
  if (names_.contains(name)) return;
  Ident const outer = parent_ ? parent_->find(name) : Ident();
  define(name, outer.function ? Load{Load::Kind::alias, name, outer} : Load{Load::Kind::nothing, name, {}});
}

Ident Symbols::declare(std::string_view name) {
  stores_.insert(name);
  return define(name, {Load::Kind::parameter, name, {}});
}

void Symbols::merge(std::initializer_list<Symbols const*> branches) {
  std::set<std::string_view> stored;
  for (Symbols const* branch : branches) {
    for (std::string_view const name : branch->stores_) {
      if (!stores_.contains(name)) stored.insert(name);
    }
  }
  for (Symbols const* branch : branches) {
    for (auto const& [name, ident] : branch->names_) names_[name] = ident;
    for (auto const& [ident, load] : branch->loads_) loads_[ident] = load;
    stores_.insert(branch->stores_.begin(), branch->stores_.end());
  }
  for (std::string_view const name : stored) {
    Ident const outer = parent_ ? parent_->find(name) : Ident();
    loads_[find(name)] = outer.function ? Load{Load::Kind::alias, name, outer} : Load{Load::Kind::lookup, name, {}};
  }
}

void Symbols::redirect(std::string_view name, Ident own, Ident other) {
  names_[name] = other;
  loads_.erase(own);
}

}  // namespace kvgate::jinja
