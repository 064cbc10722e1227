#include "tokens/table.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <optional>

namespace kvgate::tokens {
namespace {

using testing::HasSubstr;

class Tables : public testing::Test {
 protected:
  /// Stands for what a loader reads; nothing looks into it.
  static std::shared_ptr<text::ModelAssets const> assets() {
    auto const owner = std::make_shared<int>(0);
    return {owner, reinterpret_cast<text::ModelAssets const*>(owner.get())};
  }

  Table& table(Options options) {
    auto loader = [this](std::string const& path, ModelOptions const&) {
      ++loads_;
      return path.ends_with("bad") ? Loaded{nullptr, "model: unknown type Foo"} : Loaded{assets(), ""};
    };
    table_.emplace(options, pool_, loader).start([this] { ++news_; });
    return *table_;
  }
  void want(std::string_view model, std::string_view base = {}, std::string_view root = {}) {
    table_->want({model, base, root});
  }
  /// Once everything is loaded.
  Model now(std::string_view model) {
    pool_.stop();
    auto const map = table_->snapshot().load();
    auto const found = Table::find(*map, model);
    return found ? *found : Model{};
  }

  std::atomic<int> loads_ = 0, news_ = 0;
  ComputePool pool_{1, 100};
  std::optional<Table> table_;
};

TEST_F(Tables, KnowWhatIsConfiguredFromTheStart) {
  Options options;
  options.models["a"].tokenizer = "/x/a";
  options.models["b"].tokenizer = "none";
  options.models["c"].tokenizer = "remote";
  options.models["d"].tokenizer = "/x/bad";
  table(options);
  EXPECT_EQ(now("a").state, State::unchecked);
  EXPECT_NE(now("a").assets, nullptr);
  EXPECT_EQ(now("b").state, State::off);
  EXPECT_EQ(now("c").state, State::remote);
  EXPECT_EQ(now("d").state, State::fallback);
  EXPECT_EQ(now("d").reason, "model: unknown type Foo");
  EXPECT_EQ(now("never heard of").source, "");
  EXPECT_GE(news_, 3);
}

TEST_F(Tables, LoadWhatModelsShareOnce) {
  Options options;
  options.models["a"].tokenizer = options.models["b"].tokenizer = "/x/a";
  options.models["c"].tokenizer = "/x/a";
  options.models["c"].default_chat_template_kwargs = R"({"enable_thinking":false})";
  table(options);
  want("adapter", "a");
  want("adapter", "a");
  EXPECT_EQ(now("a").assets, now("b").assets);
  EXPECT_EQ(now("a").assets, now("adapter").assets);
  EXPECT_NE(now("a").assets, now("c").assets);
}

TEST_F(Tables, FindFoldersByTheModelsName) {
  auto const dir = std::filesystem::path(testing::TempDir()) / "tables_dir";
  std::filesystem::create_directories(dir / "org" / "m");
  std::ofstream(dir / "org" / "m" / "tokenizer.json") << "{}";
  Options options;
  options.dir = dir.string();
  table(options);
  want("org/m");
  want("org/none");
  want("alias", "", "/models/org/m");
  EXPECT_EQ(now("org/m").source, (dir / "org" / "m").string());
  EXPECT_EQ(now("org/m").state, State::unchecked);
  EXPECT_EQ(now("org/none").state, State::off);
  EXPECT_EQ(now("org/none").reason, "not found");
  EXPECT_EQ(now("alias").source, now("org/m").source);
}

TEST_F(Tables, BelieveTheEngines) {
  Options options;
  options.models["a"].tokenizer = "/x/a";
  auto& it = table(options);
  EXPECT_EQ(now("a").state, State::unchecked);
  it.checked("a", "http://1", "");
  EXPECT_EQ(now("a").state, State::exact);
  it.checked("a", "http://2", "text 3: 5 ids here, 6 there");
  EXPECT_EQ(now("a").state, State::fallback);
  EXPECT_FALSE(now("a").usable());
  EXPECT_THAT(now("a").reason, HasSubstr("http://2: text 3"));
  it.checked("a", "http://2", "");
  EXPECT_EQ(now("a").state, State::exact);
  EXPECT_TRUE(now("a").usable());
}

TEST_F(Tables, SayWhenTooManyWaitToBeLoaded) {
  ComputePool full(1, 0);
  Options options;
  options.models["a"].tokenizer = "/x/a";
  Table table(options, full, [](auto const&, auto const&) { return Loaded{}; });
  table.start([] {});
  auto const map = table.snapshot().load();
  EXPECT_EQ(Table::find(*map, "a")->state, State::fallback);
  EXPECT_THAT(Table::find(*map, "a")->reason, HasSubstr("too many"));
}

}  // namespace
}  // namespace kvgate::tokens
