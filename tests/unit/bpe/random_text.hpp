// Texts that split patterns trip over: words, white space, digits, apostrophes and characters of all classes, mixed.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace kvgate::text::bpe {

/// `n`, or that many times the environment's KVGATE_FUZZ.
inline int rounds(int n) {
  auto const* times = std::getenv("KVGATE_FUZZ");
  return times ? n * std::max(1, std::atoi(times)) : n;
}

class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  /// A mixture of few kinds of characters, so that runs and their edges are common.
  std::string next(std::size_t most = 60) {
    std::vector<std::vector<std::string> const*> pools;
    for (auto n = below(4) + 1; n > 0; --n) pools.push_back(&kPools[below(kPools.size())]);
    std::string out;
    for (auto n = below(most) + 1; n > 0; --n) {
      auto const& pool = *pools[below(pools.size())];
      out += pool[below(pool.size())];
    }
    return out;
  }

  std::size_t below(std::size_t n) { return random_() % n; }

 private:
  static inline std::vector<std::vector<std::string>> const kPools{
      {"a", "b", "e", "s", "t", "re", "ll", "word", "the", " of", " and", "ing", "er"},
      {"A", "B", "E", "S", "T", "XML", " Http", "LL", "RE"},
      {" ", " ", "\t", "\n", "\r", "\r\n", "  ", "\v", "\f", "\u0085", "\u00a0", "\u2003", "\u3000", "\u2028"},
      {"0", "1", "23", "456", "7890", "\u00bd", "\u2167", "\u00b2", "\u0663"},
      {"'s", "'t", "'re", "'VE", "'m", "'LL", "'d", "'", "''", "'\u017f", "don't", "we'LL", "'x", " 's"},
      {"!", "/", "-", ".", ",", "//", "(", ")", "#", "$", "+", "_", "~", "\"", ";\n", "/\n/", "!\n"},
      {"\u4e00", "\u9fa5", "\u9fa6", "\u3042", "\u30a2", "\u30fb", "\u30fc", "\u3040", "\u3005", "\u3099", "\u4e2d"},
      {"\u00e9", "\u00c9", "\u0434", "\u0414", "\u03b1", "\u00df", "\u01c5", "\u02b0", "\u00aa", "\u05d0", "\ud55c"},
      {"\u0301", "\u0308", "\u0903", "\u20dd", "e\u0301"},
      {std::string(1, '\0'), "\x01", "\x1c", "\x7f", "\u200b", "\ufeff", "\ue000", "\u0378", "\U0010ffff"},
      {"\U0001f600", "\U0001f44d\U0001f3fd", "\U0001d49c", "\U00010400", "\U00010428"},
      {"\u2581", " \u2581", "<0x0A>"},
  };

  std::mt19937 random_;
};

}  // namespace kvgate::text::bpe
