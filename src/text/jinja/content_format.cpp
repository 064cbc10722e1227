#include "text/jinja/content_format.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "text/jinja/walk.hpp"

namespace kvgate::jinja {
namespace {

/// All statements and calls of a template, wherever they stand.
struct Inventory final : StatementVisitor {
  void expression(Expr*& node) override {
    if (node->kind == ExprKind::call) calls.push_back(static_cast<CallExpr*>(node));
    each_child(node, [this](Expr*& child) { expression(child); });
  }
  void target(Target&) override {}
  void parameter(Parameter&) override {}
  void statement(Stmt& stmt) override {
    if (stmt.kind == StmtKind::for_) loops.push_back(static_cast<ForStmt*>(&stmt));
    if (stmt.kind == StmtKind::set) sets.push_back(static_cast<SetStmt*>(&stmt));
    if (stmt.kind == StmtKind::macro) macros.push_back(&static_cast<MacroStmt&>(stmt).macro);
    each_child(stmt, *this);
  }

  std::vector<ForStmt*> loops;
  std::vector<SetStmt*> sets;
  std::vector<MacroBody*> macros;
  std::vector<CallExpr*> calls;
};

Inventory inventory(Block body) {
  Inventory found;
  for (Stmt* stmt : body) found.statement(*stmt);
  return found;
}

// The variable `name`, or "a.b" for the attribute of one.
bool is_variable(Expr const* node, std::string_view name) {
  if (node->kind == ExprKind::name) return static_cast<NameExpr const*>(node)->name == name;
  std::size_t const dot = name.rfind('.');
  if (node->kind != ExprKind::attribute || dot == std::string_view::npos) return false;
  auto const* attribute = static_cast<AttributeExpr const*>(node);
  return attribute->name == name.substr(dot + 1) && is_variable(attribute->object, name.substr(0, dot));
}

bool is_member(Expr const* node, std::string_view name, std::string_view key) {
  if (node->kind == ExprKind::attribute) {
    auto const* attribute = static_cast<AttributeExpr const*>(node);
    return attribute->name == key && is_variable(attribute->object, name);
  }
  if (node->kind != ExprKind::item) return false;
  auto const* item = static_cast<ItemExpr const*>(node);
  if (item->index->kind != ExprKind::constant || !is_variable(item->object, name)) return false;
  Value const index = static_cast<ConstantExpr const*>(item->index)->value;
  return index.is_string() && index.text() == key;
}

// Through filters, tests and slices. With an empty key the variable itself is meant.
bool refers_to(Expr const* node, std::string_view name, std::string_view key = {}) {
  switch (node->kind) {
    case ExprKind::filter:
      return refers_to(static_cast<FilterExpr const*>(node)->subject, name, key);
    case ExprKind::test:
      return refers_to(static_cast<TestExpr const*>(node)->subject, name, key);
    case ExprKind::slice:
      return refers_to(static_cast<SliceExpr const*>(node)->object, name, key);
    default:
      return key.empty() ? is_variable(node, name) : is_member(node, name, key);
  }
}

// Names that one `set` gives to what `name` stands for.
std::vector<std::string> aliases_in(SetStmt const& set, std::string_view name) {
  std::vector<std::string> aliases;
  Target const& target = *set.target;
  if (target.kind == TargetKind::attribute && refers_to(set.value, name)) {
    aliases.push_back(std::string(target.name) + "." + std::string(target.attribute));
  }
  if (target.kind != TargetKind::name) return aliases;
  if (refers_to(set.value, name)) aliases.emplace_back(target.name);
  if (set.value->kind != ExprKind::call) return aliases;
  auto const* call = static_cast<CallExpr const*>(set.value);
  if (!is_variable(call->function, "namespace")) return aliases;
  for (KeywordExpr const& keyword : call->arguments.keywords) {
    if (refers_to(keyword.value, name)) aliases.push_back(std::string(target.name) + "." + std::string(keyword.name));
  }
  return aliases;
}

std::vector<std::string> names_of_messages(Inventory const& found) {
  std::vector<std::string> names{"messages"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (SetStmt const* set : found.sets) {
      for (std::string& alias : aliases_in(*set, std::string(names[i]))) {
        if (std::find(names.begin(), names.end(), alias) == names.end()) names.push_back(std::move(alias));
      }
    }
  }
  return names;
}

bool any_refers(Expr const* node, std::vector<std::string> const& names, std::string_view key) {
  return std::any_of(names.begin(), names.end(), [&](std::string const& name) { return refers_to(node, name, key); });
}

// Loop variables that run over the messages. Nothing if one of these loops unpacks its items: vLLM gives up there.
std::optional<std::vector<std::string>> names_of_message(Inventory const& found) {
  std::vector<std::string> const messages = names_of_messages(found);
  std::vector<std::string> names;
  for (ForStmt const* loop : found.loops) {
    if (!any_refers(loop->sequence, messages, {})) continue;
    if (loop->target->kind != TargetKind::name) return std::nullopt;
    names.emplace_back(loop->target->name);
  }
  return names;
}

// Parameters that some call passes message content in.
std::set<std::string_view> content_parameters(MacroBody const& macro, Inventory const& found,
                                              std::vector<std::string> const& messages) {
  std::set<std::string_view> parameters;
  for (CallExpr const* call : found.calls) {
    if (call->function->kind != ExprKind::name || !is_variable(call->function, macro.name)) continue;
    auto const& positional = call->arguments.positional;
    for (std::size_t i = 0; i < std::min(positional.size(), macro.parameters.size()); ++i) {
      if (any_refers(positional[i], messages, "content")) parameters.insert(macro.parameters[i].name);
    }
    for (KeywordExpr const& keyword : call->arguments.keywords) {
      bool const known = std::any_of(macro.parameters.begin(), macro.parameters.end(),
                                     [&keyword](Parameter const& p) { return p.name == keyword.name; });
      if (known && any_refers(keyword.value, messages, "content")) parameters.insert(keyword.name);
    }
  }
  return parameters;
}

/// Which loops stand in macros, and which of them run over a parameter that is message content.
struct MacroLoops {
  std::set<ForStmt const*> all;
  std::set<ForStmt const*> over_content;
};

MacroLoops loops_in_macros(Inventory const& found, std::vector<std::string> const& messages) {
  MacroLoops result;
  for (MacroBody const* macro : found.macros) {
    std::set<std::string_view> const parameters = content_parameters(*macro, found, messages);
    for (ForStmt const* loop : inventory(macro->body).loops) {
      result.all.insert(loop);
      bool const named = loop->sequence->kind == ExprKind::name;
      if (parameters.empty()) continue;
      result.over_content.erase(loop);  // of nested macros the last one counts
      if (named && parameters.contains(static_cast<NameExpr const*>(loop->sequence)->name)) {
        result.over_content.insert(loop);
      }
    }
  }
  return result;
}

}  // namespace

ContentFormat detect_content_format(Block body) {
  Inventory const found = inventory(body);
  std::optional<std::vector<std::string>> const messages = names_of_message(found);
  if (!messages) return ContentFormat::string;
  MacroLoops const in_macros = loops_in_macros(found, *messages);
  for (ForStmt const* loop : found.loops) {
    bool const over_name =
        loop->sequence->kind == ExprKind::name && static_cast<NameExpr const*>(loop->sequence)->name == "content";
    bool const over_content = any_refers(loop->sequence, *messages, "content") ||
                              in_macros.over_content.contains(loop) || (over_name && !in_macros.all.contains(loop));
    if (over_content) return loop->target->kind == TargetKind::name ? ContentFormat::openai : ContentFormat::string;
  }
  return ContentFormat::string;
}

}  // namespace kvgate::jinja
