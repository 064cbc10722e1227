// Which models' prompts can be made into token ids, and whether engines agree.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/compute_pool.hpp"
#include "base/snapshot.hpp"
#include "tokens/options.hpp"

namespace kvgate::text {
struct ModelAssets;
}

namespace kvgate::tokens {

enum class State : std::uint8_t {
  off,        ///< no tokenizer is configured or found
  loading,
  unchecked,  ///< loaded; no engine has told ids to compare with
  exact,      ///< loaded; every engine that was asked agrees
  remote,     ///< engines are asked
  fallback,   ///< not usable, see the reason: routing goes by text
};
inline constexpr std::size_t kStates = 6;
std::string_view to_string(State state) noexcept;

/// One model, at one moment.
struct Model {
  State state = State::off;
  std::string reason;   ///< of off and fallback; else empty
  std::string source;   ///< the folder or file; empty: none
  std::shared_ptr<text::ModelAssets const> assets;   ///< null: none are loaded

  /// Whether its assets tell what engines see.
  bool usable() const noexcept { return state == State::unchecked || state == State::exact; }
};

struct Loaded {
  std::shared_ptr<text::ModelAssets const> assets;   ///< null: see the reason
  std::string reason;
};

/// Thread-safe. Files are read by the pool's threads.
class Table {
 public:
  using Map = std::map<std::string, std::shared_ptr<Model const>, std::less<>>;
  /// Runs on a thread of the pool.
  using Loader = std::function<Loaded(std::string const& path, ModelOptions const& options)>;
  using News = std::function<void()>;

  /// The pool has stopped before the table is destroyed.
  Table(Options const& options, ComputePool& pool, Loader loader);

  /// Begins with the models that are configured; before any want(). `news` is called after each change, on any thread,
  /// and must not block.
  void start(News news);

  struct Names {
    std::string_view model;
    std::string_view base;   ///< of an adapter, whose prompts are made as its base's; else empty
    std::string_view root;   ///< what the engine loaded under this name; empty: not told
  };

  /// A model is served. What is known already is not loaded anew.
  void want(Names const& names);

  /// An engine's ids were compared with ours. `difference`: empty when they are equal. The last word of each engine
  /// counts, and one that differs is enough.
  void checked(std::string_view model, std::string_view engine_url, std::string difference);

  Snapshot<Map> const& snapshot() const noexcept { return snapshot_; }

  /// nullptr: nobody wanted it.
  static std::shared_ptr<Model const> find(Map const& map, std::string_view model);

 private:
  struct Row {
    ModelOptions options;
    Model now;                                      // as loaded; the checks decide what is published
    std::string base;
    std::map<std::string, std::string> checks;      // by engine: what differs, empty for nothing
  };
  using Key = std::string;   // of what can be shared: path and options

  void begin(Row& row, Names const& names);
  void take(std::string const& model, Key const& key, Loaded loaded);
  std::optional<std::string> folder_of(Names const& names) const;
  Model judged(Row const& row) const;
  void publish();

  Options const options_;
  ComputePool& pool_;
  Loader const loader_;
  News news_ = [] {};
  std::mutex mutex_;   // guards rows_ and shared_
  std::map<std::string, Row, std::less<>> rows_;
  std::map<Key, std::weak_ptr<text::ModelAssets const>> shared_;
  Snapshot<Map> snapshot_;
};

}  // namespace kvgate::tokens
