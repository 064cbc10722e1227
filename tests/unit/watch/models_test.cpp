#include <gmock/gmock.h>

#include "unit/watch/log_file.hpp"
#include "unit/watch/watch_fixture.hpp"

namespace kvgate::watch {
namespace {

class ModelsTest : public WatchTest {
 protected:
  ModelsTest() { pace.models_retry = 20ms; }

  static bool is_models(std::string const& request) { return request.starts_with("GET /v1/models "); }
};

TEST_F(ModelsTest, ReadsThemAtOnceAndAgain) {
  std::string served = "first";
  auto& engine = stub([&](auto& r) { return is_models(r) ? models_answer(served) : http_answer(200, ""); });
  config.models.refresh = 20ms;
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return serves("first"); }));
  served = "second";
  ASSERT_TRUE(run_until(io, [&] { return serves("second"); }));
  EXPECT_FALSE(serves("first"));
}

TEST_F(ModelsTest, AsksAHealthyEngineOnce) {
  auto& engine = stub(healthy_engine);
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return serves("tiny") && health() == Health::up; }));
  io.poll();
  EXPECT_EQ(engine.count("GET /v1/models"), 1u);
}

TEST_F(ModelsTest, TriesAgainSoonAfterAFailure) {
  std::size_t tries = 0;
  auto& engine = stub([&](auto& request) -> std::optional<std::string> {
    if (!is_models(request)) return http_answer(200, "");
    switch (++tries) {
      case 1:
        return http_answer(503, "");
      case 2:
        return http_answer(200, "not JSON");
      case 3:
        return "";
      default:
        return models_answer("tiny");
    }
  });
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return serves("tiny"); }));
  EXPECT_GE(tries, 4u);
}

TEST_F(ModelsTest, AFailureKeepsTheOldListAndTheRestIsRetried) {
  bool ok = true;
  auto& engine = stub([&](auto& r) { return is_models(r) && !ok ? http_answer(500, "") : healthy_engine(r); });
  config.models.refresh = 20ms;
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return serves("tiny"); }));
  ok = false;
  auto const before = engine.count("GET /v1/models");
  ASSERT_TRUE(run_until(io, [&] { return engine.count("GET /v1/models") >= before + 3; }));
  EXPECT_TRUE(serves("tiny"));
}

TEST_F(ModelsTest, AnEngineThatComesBackIsAskedAnew) {
  std::string served = "before";
  auto& engine = stub([&](auto& r) { return is_models(r) ? models_answer(served) : http_answer(200, ""); });
  config.health.interval = 20ms;
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return serves("before") && health() == Health::up; }));
  engine.close();
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::down; }));
  EXPECT_TRUE(serves("before"));
  served = "after";  // restarted with another model; the hourly refresh is far away
  engine.reopen();
  ASSERT_TRUE(run_until(io, [&] { return serves("after"); }));
}

TEST_F(ModelsTest, ConfiguredModelsAreNotAskedFor) {
  auto& engine = stub(healthy_engine);
  auto spec = spec_of(engine.url());
  spec.models = {"configured"};
  start({spec});
  ASSERT_TRUE(run_until(io, [&] { return health() == Health::up; }));
  EXPECT_TRUE(serves("configured"));
  EXPECT_EQ(engine.count("GET /v1/models"), 0u);
}

TEST_F(ModelsTest, LogsChangesAndNotEveryTry) {
  LogFile log_file;
  std::size_t tries = 0;
  auto& engine = stub([&](auto& r) { return is_models(r) && ++tries <= 3 ? http_answer(401, "") : healthy_engine(r); });
  config.models.refresh = 20ms;
  start({spec_of(engine.url())});
  ASSERT_TRUE(run_until(io, [&] { return tries > 6; }));
  using testing::AllOf, testing::HasSubstr;
  EXPECT_THAT(log_file.finish(), testing::ElementsAre(AllOf(HasSubstr(engine.url().text), HasSubstr("status 401")),
                                                      AllOf(HasSubstr(engine.url().text), HasSubstr("again"))));
}

}  // namespace
}  // namespace kvgate::watch
