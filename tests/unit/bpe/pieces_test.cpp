#include <gmock/gmock.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "text/bpe/byte_level_encoder.hpp"
#include "text/bpe/scan_cl100k.hpp"
#include "text/bpe/scan_deepseek.hpp"
#include "text/bpe/scan_gpt2.hpp"
#include "text/bpe/scan_o200k.hpp"
#include "unit/bpe/random_text.hpp"

namespace kvgate::text::bpe {
namespace {

using testing::ElementsAre;
using Pieces = std::vector<std::string>;

Pieces pieces_of(SplitPattern pattern, std::string_view text) {
  Pieces out;
  for_each_piece(pattern, text, [&out](std::string_view piece) { out.emplace_back(piece); });
  return out;
}

/// The characters of a class, for use inside of [].
std::string class_text(std::vector<CodeRange> const& ranges) {
  std::string out;
  char buffer[40];
  for (auto [first, last] : ranges) {
    std::snprintf(buffer, sizeof buffer, "\\x{%x}-\\x{%x}", static_cast<unsigned>(first), static_cast<unsigned>(last));
    out += buffer;
  }
  return out;
}

/// A regular expression of which the classes are spelled out, so that it does not depend on PCRE2's Unicode. L, N, ...
/// in braces stand for them: {L}.
class Regex {
 public:
  explicit Regex(std::string text) {
    for (auto const name : {"Lu", "Lt", "Lm", "Lo", "Ll", "L", "M", "N", "P", "S"})
      replace(text, std::string("{") + name + "}", class_text(ranges(category_mask(name))));
    replace(text, "{s}", class_text(ranges(masks::kSpace)));
    int error = 0;
    PCRE2_SIZE at = 0;
    code_ = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C,
                          &error, &at, nullptr);
    EXPECT_NE(code_, nullptr) << error << " at " << at;
    pcre2_jit_compile(code_, PCRE2_JIT_COMPLETE);
    match_ = pcre2_match_data_create_from_pattern(code_, nullptr);
  }
  ~Regex() {
    pcre2_match_data_free(match_);
    pcre2_code_free(code_);
  }
  Regex(Regex const&) = delete;

  /// Matches and what is between them.
  Pieces split(std::string const& text) const {
    Pieces out;
    std::size_t done = 0;
    while (done < text.size() && pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), done, 0,
                                             match_, nullptr) > 0) {
      auto const* found = pcre2_get_ovector_pointer(match_);
      if (found[0] > done) out.push_back(text.substr(done, found[0] - done));
      out.push_back(text.substr(found[0], found[1] - found[0]));
      done = found[1];
    }
    if (done < text.size()) out.push_back(text.substr(done));
    return out;
  }

 private:
  static void replace(std::string& text, std::string const& what, std::string const& by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
      text.replace(at, what.size(), by);
  }

  pcre2_code* code_ = nullptr;
  pcre2_match_data* match_ = nullptr;
};

// In (?i:...) only s has a partner outside of ASCII.
constexpr auto kContraction = "'[sS\\x{17f}]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]";

struct Case {
  SplitPattern pattern;
  std::vector<std::string> regexes;  ///< one after the other
};

std::vector<Case> cases() {
  std::string const spaces = "[{s}]*[\\r\\n]+|[{s}]+(?![^{s}])|[{s}]+";
  std::string const word = "[^\\r\\n{L}{N}]?[{Lu}{Lt}{Lm}{Lo}{M}]*[{Ll}{Lm}{Lo}{M}]+";
  std::string const upper_word = "[^\\r\\n{L}{N}]?[{Lu}{Lt}{Lm}{Lo}{M}]+[{Ll}{Lm}{Lo}{M}]*";
  std::string const contraction = kContraction;
  auto const cl100k = [&](std::string const& letters, std::string const& number) {
    return contraction + "|[^\\r\\n{L}{N}]?[" + letters + "]+|" + number + "| ?[^{s}" + letters + "{N}]+[\\r\\n]*|" +
           spaces;
  };
  auto const o200k = [&](std::string const& suffix, std::string const& number) {
    return word + suffix + "|" + upper_word + suffix + "|" + number + "| ?[^{s}{L}{N}]+[\\r\\n/]*|" + spaces;
  };
  return {
      {SplitPattern::gpt2,
       {"'s|'t|'re|'ve|'m|'ll|'d| ?[{L}]+| ?[{N}]+| ?[^{s}{L}{N}]+|[{s}]+(?![^{s}])|[{s}]+"}},
      {SplitPattern::cl100k, {cl100k("{L}", "[{N}]{1,3}")}},
      {SplitPattern::qwen2, {cl100k("{L}", "[{N}]")}},
      {SplitPattern::qwen3_5, {cl100k("{L}{M}", "[{N}]")}},
      {SplitPattern::o200k, {o200k("(?:" + contraction + ")?", "[{N}]{1,3}")}},
      {SplitPattern::tekken, {o200k("", "[{N}]")}},
      {SplitPattern::deepseek_v3,
       {"[{N}]{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
        "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n{L}{P}{S}]?[{L}{M}]+| ?[{P}{S}]+[\r\n]*|" +
            spaces}},
  };
}

TEST(Pieces, AreThoseOfTheRegularExpression) {
  for (auto const& [pattern, texts] : cases()) {
    std::vector<std::unique_ptr<Regex>> regexes;
    for (auto const& text : texts) regexes.push_back(std::make_unique<Regex>(text));
    RandomText random(static_cast<unsigned>(pattern));
    for (int i = 0; i < rounds(3'000); ++i) {
      auto const text = random.next(i % 50 == 0 ? 400 : 40);
      Pieces wanted{text};
      for (auto const& regex : regexes) {
        Pieces finer;
        for (auto const& part : wanted) std::ranges::move(regex->split(part), std::back_inserter(finer));
        wanted = std::move(finer);
      }
      ASSERT_EQ(pieces_of(pattern, text), wanted) << "pattern " << static_cast<int>(pattern);
    }
  }
}

template <class Scanner>
Pieces one_by_one(std::string_view text) {
  Pieces out;
  auto const end = text.data() + text.size();
  for (auto p = text.data(); p < end; p += out.back().size()) out.emplace_back(p, Scanner::next(p, end));
  return out;
}

TEST(Pieces, AreTheSameOneByOne) {
  RandomText random(1);
  for (int i = 0; i < rounds(3'000); ++i) {
    auto const text = random.next(300);
    ASSERT_EQ(pieces_of(SplitPattern::gpt2, text), one_by_one<Gpt2Scanner>(text));
    ASSERT_EQ(pieces_of(SplitPattern::cl100k, text), (one_by_one<Cl100kScanner<3, kinds::kLetter>>(text)));
    ASSERT_EQ(pieces_of(SplitPattern::o200k, text), (one_by_one<O200kScanner<3, true>>(text)));
    ASSERT_EQ(pieces_of(SplitPattern::deepseek_v3, text), one_by_one<DeepSeekScanner>(text));
  }
}

TEST(Pieces, OfTextThatShowsWhatPatternsDifferIn) {
  auto const text = "I'LL pay 12345 for fooBar's\n\n  x;\n//y";
  EXPECT_THAT(pieces_of(SplitPattern::cl100k, text),
              ElementsAre("I", "'LL", " pay", " ", "123", "45", " for", " fooBar", "'s", "\n\n", " ", " x", ";\n", "//",
                          "y"));
  EXPECT_THAT(pieces_of(SplitPattern::o200k, text),
              ElementsAre("I'LL", " pay", " ", "123", "45", " for", " foo", "Bar's", "\n\n", " ", " x", ";\n//", "y"));
  EXPECT_THAT(pieces_of(SplitPattern::gpt2, text),
              ElementsAre("I", "'", "LL", " pay", " 12345", " for", " fooBar", "'s", "\n\n ", " x", ";", "\n", "//",
                          "y"));
}

TEST(Pieces, BytesThatAreNoUtf8DoNoHarm) {
  RandomText random(2);
  for (int i = 0; i < rounds(3'000); ++i) {
    std::string text;
    for (auto n = random.below(80); n > 0; --n) text += static_cast<char>(random.below(3) ? random.below(256) : 'a');
    std::string joined;
    for (auto const& [pattern, regexes] : {Case{SplitPattern::o200k, {}}, Case{SplitPattern::deepseek_v3, {}}}) {
      joined.clear();
      for (auto const& piece : pieces_of(pattern, text)) joined += piece;
      ASSERT_EQ(joined, text);
    }
  }
}

}  // namespace
}  // namespace kvgate::text::bpe
