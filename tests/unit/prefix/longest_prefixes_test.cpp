#include <gtest/gtest.h>

#include "unit/prefix/traffic.hpp"

namespace kvgate::prefix {
namespace {

using namespace test;

struct Shape {
  std::size_t engines;
  std::size_t blocks;
};

class LongestPrefixes : public testing::TestWithParam<Shape> {};

TEST_P(LongestPrefixes, FindsEveryEnginesOwnDepth) {
  auto const [count, blocks] = GetParam();
  auto const budget = std::make_shared<Budget>(plenty);
  std::vector<std::unique_ptr<CachedBlocks>> engines;
  std::vector<CachedBlocks const*> views;
  for (std::size_t i = 0; i < count; ++i)
    views.push_back(engines.emplace_back(std::make_unique<CachedBlocks>(budget)).get());
  std::mt19937_64 random(count * 1000 + blocks);
  for (std::uint64_t round = 0; round < 20; ++round) {
    auto const prompt = prompt_of(round, blocks);
    std::vector<std::uint32_t> expected, found(count, 77);
    for (auto& engine : engines) {
      expected.push_back(
          static_cast<std::uint32_t>(random() % 4 == 0 ? blocks * (random() % 2) : random() % (blocks + 1)));
      engine->touch(std::span(prompt).first(expected.back()));
    }
    CachedBlocks::longest_prefixes(views, prompt, found);
    EXPECT_EQ(found, expected) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LongestPrefixes,
                         testing::Values(Shape{0, 5}, Shape{1, 0}, Shape{1, 1}, Shape{2, 2}, Shape{3, 3}, Shape{1, 100},
                                         Shape{6, 9}, Shape{7, 64}, Shape{16, 65}, Shape{17, 33}, Shape{64, 200},
                                         Shape{65, 50}, Shape{130, 7}),
                         [](auto const& shape) {
                           return std::to_string(shape.param.engines) + "_engines_" +
                                  std::to_string(shape.param.blocks) + "_blocks";
                         });

}  // namespace
}  // namespace kvgate::prefix
