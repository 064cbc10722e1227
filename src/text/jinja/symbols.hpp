// The names of one scope while they are being worked out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "text/jinja/ast.hpp"

namespace kvgate::jinja {

/// One function while its slots are handed out.
struct FunctionScope {
  FunctionScope* outer;
  Function* function;
};

/// A slot of a function.
struct Ident {
  FunctionScope* function = nullptr;
  std::uint32_t slot = 0;

  auto operator<=>(Ident const&) const = default;
};

/// What a slot holds when its scope is entered.
struct Load {
  enum class Kind : std::uint8_t {
    parameter,  ///< set by whoever enters the scope
    lookup,     ///< the variable of that name in the template's input
    alias,      ///< what an outer scope's variable holds
    nothing,
  };
  Kind kind;
  std::string_view name;
  Ident outer;
};

/// Reading, storing and declaring a name follow the rules of jinja2.idtracking: they decide what a name holds that is
/// assigned in an inner scope, or in some branches only. Copies (one per branch) share their slots.
class Symbols {
 public:
  Symbols(Symbols const* parent, FunctionScope* function)
      : parent_(parent), function_(function), slots_(std::make_shared<std::map<std::string_view, Ident>>()) {}

  void read(std::string_view name);
  void store(std::string_view name);
  Ident declare(std::string_view name);
  /// Takes over what the branches of an `if` did; a name that only some of them assign may keep its outer value.
  void merge(std::initializer_list<Symbols const*> branches);

  /// Null function if no scope up to the outermost knows the name.
  Ident find(std::string_view name) const;
  FunctionScope* function() const noexcept { return function_; }
  std::map<Ident, Load> const& loads() const noexcept { return loads_; }
  bool stores(std::string_view name) const { return stores_.contains(name); }
  /// Lets the name mean another slot, with nothing to load.
  void redirect(std::string_view name, Ident own, Ident other);

 private:
  Ident define(std::string_view name, Load load);

  Symbols const* parent_;
  FunctionScope* function_;
  std::shared_ptr<std::map<std::string_view, Ident>> slots_;
  std::map<std::string_view, Ident> names_;
  std::map<Ident, Load> loads_;
  std::set<std::string_view> stores_;
};

}  // namespace kvgate::jinja
