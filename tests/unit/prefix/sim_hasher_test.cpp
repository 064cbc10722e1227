#include "prefix/sim_hasher.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "unit/prefix/prompts.hpp"

namespace kvgate::prefix {
namespace {

std::string chat(std::string const& content) {
  return R"({"model":"m","messages":[{"role":"user","content":")" + content + "\"}]}";
}

std::uint64_t simhash(std::string const& content, std::size_t max_bytes = kSimHashBytes) {
  return prompt_simhash(test::Parsed(openai::ApiKind::chat, chat(content)).view(), max_bytes);
}

std::string words(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) text += static_cast<char>('a' + random() % 26);
  return text;
}

TEST(SimHash, SimilarTextsDifferInFewBits) {
  double near = 0, far = 0;
  for (unsigned i = 0; i < 50; ++i) {
    auto const text = words(480, i);
    auto edited = text;
    edited.replace(200, 5, "EDITS");
    near += std::popcount(simhash(text) ^ simhash(edited));
    far += std::popcount(simhash(text) ^ simhash(words(480, 1000 + i)));
  }
  EXPECT_LT(near / 50, 8);
  EXPECT_GT(far / 50, 26);
  EXPECT_LT(far / 50, 38);
}

TEST(SimHash, SeesOnlyTheFirstBytes) {
  auto const text = words(600, 1);
  EXPECT_EQ(simhash(text), simhash(text + words(10'000, 2)));
  EXPECT_EQ(simhash(text, 100), simhash(text.substr(0, 100) + "other", 100));
  EXPECT_NE(simhash(text, 1000), simhash(text + words(300, 2), 1000));
  EXPECT_EQ(simhash(text, 0), simhash("other", 0));
}

TEST(SimHash, IsOfTheDecodedText) {
  EXPECT_EQ(simhash("caf\\u00e9 \\/ bar"), simhash("caf\xC3\xA9 / bar"));
  EXPECT_NE(simhash("a"), simhash("b"));
}

/// Each bit is decided by a majority of shingles: a plain count, bit by bit, must agree with the columns.
TEST(SimHash, CountsManyShinglesWithoutOverflow) {
  auto const text = words(100'000, 3);
  SimHasher whole(text.size());
  whole.put(text);
  SimHasher pieces(text.size());
  for (std::size_t i = 0; i < text.size(); i += 100) pieces.put(text.substr(i, 100));
  EXPECT_EQ(whole.digest(), pieces.digest());
  std::string const same(100'000, 'a');
  SimHasher many(same.size()), few(8);
  many.put(same);
  few.put(same);
  EXPECT_EQ(many.digest(), few.digest()) << "one shingle, however often, decides all bits";
}

}  // namespace
}  // namespace kvgate::prefix
