#include "tokens/table.hpp"

#include <array>

#include "base/log.hpp"
#include "tokens/folder.hpp"

namespace kvgate::tokens {
namespace {

constexpr std::array<std::string_view, kStates> kNames{"off", "loading", "unchecked", "exact", "remote", "fallback"};

/// What two models must have in common to share what is loaded.
std::string key_of(std::string const& path, ModelOptions const& options) {
  return path + '\n' + options.chat_template + '\n' + options.content_format + '\n' +
         options.default_chat_template_kwargs + '\n' + options.system_start_date +
         (options.exclude_tools_when_tool_choice_none ? "\n1" : "\n0");
}

}  // namespace

std::string_view to_string(State state) noexcept { return kNames[static_cast<std::size_t>(state)]; }

Table::Table(Options const& options, ComputePool& pool, Loader loader)
    : options_(options), pool_(pool), loader_(std::move(loader)), snapshot_(std::make_shared<Map const>()) {}

void Table::start(News news) {
  news_ = std::move(news);
  for (auto const& [model, options] : options_.models)
    if (options.tokenizer != "auto") want({model, {}, {}});
}

void Table::want(Names const& names) {
  {
    std::lock_guard lock(mutex_);
    if (rows_.contains(names.model)) return;
    std::string const id(names.model);
    auto const own = options_.models.find(id);
    auto const bases = options_.models.find(std::string(names.base));
    auto& row = rows_[id];
    row.base = names.base;
    if (own != options_.models.end()) {
      row.options = own->second;
    } else if (bases != options_.models.end()) {
      row.options = bases->second;
    }
    begin(row, names);
    if (row.now.state == State::loading) {
      auto const path = row.now.source;
      auto const key = key_of(path, row.options);
      auto job = [this, id, key, path, options = row.options] { take(id, key, loader_(path, options)); };
      if (!pool_.run(std::move(job))) row.now = {State::fallback, "too many tokenizers are waiting to be loaded", path, {}};
    }
  }
  publish();
}

/// Decides where its tokens come from.
void Table::begin(Row& row, Names const& names) {
  auto const& wanted = row.options.tokenizer;
  if (wanted == "none") {
    row.now = {State::off, "configured", {}, {}};
  } else if (wanted == "remote") {
    row.now = {State::remote, {}, {}, {}};
  } else if (wanted != "auto") {
    row.now = {State::loading, {}, wanted, {}};
  } else if (auto folder = folder_of(names)) {
    row.now = {State::loading, {}, std::move(*folder), {}};
  } else {
    row.now = {State::off, options_.dir.empty() && options_.hf_cache.empty() ? "not configured" : "not found", {}, {}};
  }
  if (row.now.state != State::loading) return;
  auto const same = shared_.find(key_of(row.now.source, row.options));
  auto assets = same == shared_.end() ? nullptr : same->second.lock();
  if (assets) row.now = {State::unchecked, {}, row.now.source, std::move(assets)};
}

void Table::take(std::string const& model, Key const& key, Loaded loaded) {
  {
    std::lock_guard lock(mutex_);
    auto& row = rows_.at(model);
    if (loaded.assets) {
      // Another model may have loaded the same meanwhile.
      auto& shared = shared_[key];
      if (auto same = shared.lock()) loaded.assets = std::move(same);
      shared = loaded.assets;
      row.now = {State::unchecked, {}, row.now.source, std::move(loaded.assets)};
    } else {
      row.now = {State::fallback, std::move(loaded.reason), row.now.source, {}};
    }
    auto const level = row.now.assets ? log::Level::info : log::Level::warn;
    log::event(level, row.now.assets ? "tokenizer loaded" : "tokenizer not usable, prompts are routed by their text",
               {{"model", model}, {"source", row.now.source}, {"reason", row.now.reason}});
  }
  publish();
}

void Table::checked(std::string_view model, std::string_view engine_url, std::string difference) {
  {
    std::lock_guard lock(mutex_);
    auto const row = rows_.find(model);
    if (row == rows_.end()) return;
    auto const before = judged(row->second).state;
    row->second.checks.insert_or_assign(std::string(engine_url), difference);
    auto const after = judged(row->second).state;
    if (after == before) return;
    bool const differs = after == State::fallback;
    log::event(differs ? log::Level::error : log::Level::info,
               differs ? "TOKEN IDS DIFFER from the engine's: prompts are routed by their text" : "token ids are the engine's",
               {{"model", model}, {"engine", engine_url}, {"difference", difference}});
  }
  publish();
}

/// By the names in the order in which they say most.
std::optional<std::string> Table::folder_of(Names const& names) const {
  auto const base = rows_.find(names.base);
  if (base != rows_.end() && !base->second.now.source.empty()) return base->second.now.source;
  for (auto const name : {names.base.empty() ? names.model : names.base, names.root}) {
    if (auto folder = find_folder({options_.dir, options_.hf_cache}, name)) return folder;
  }
  return std::nullopt;
}

Model Table::judged(Row const& row) const {
  auto model = row.now;
  auto const base = rows_.find(row.base);   // only bases are compared
  auto const& checks = base == rows_.end() ? row.checks : base->second.checks;
  if (!model.assets || checks.empty()) return model;
  for (auto const& [engine, difference] : checks) {
    if (difference.empty()) continue;
    return {State::fallback, "differs at " + engine + ": " + difference, model.source, model.assets};
  }
  model.state = State::exact;
  return model;
}

void Table::publish() {
  auto next = std::make_shared<Map>();
  {
    std::lock_guard lock(mutex_);
    for (auto const& [id, row] : rows_) next->emplace(id, std::make_shared<Model const>(judged(row)));
    snapshot_.publish(std::move(next));
  }
  news_();
}

std::shared_ptr<Model const> Table::find(Map const& map, std::string_view model) {
  auto const found = map.find(model);
  return found == map.end() ? nullptr : found->second;
}

}  // namespace kvgate::tokens
