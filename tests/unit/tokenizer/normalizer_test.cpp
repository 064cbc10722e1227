#include "text/tokenizer/normalizer.hpp"

#include "unit/tokenizer/json.hpp"

namespace kvgate::text {
namespace {

std::string normalized(std::string const& normalizer, std::string_view text) {
  auto const chain = NormalizerChain::make(test::File{.normalizer = normalizer}.spec().normalizers);
  if (chain.has_error()) return "error: " + chain.error().message;
  RewriteSpace space;
  NormalizeScratch scratch;
  return std::string(chain->apply({.text = text}, space, scratch).text);
}

// What the library answers to the same.
TEST(Normalizer, DoesWhatTheLibraryDoes) {
  struct Case {
    std::string normalizer, text, result;
  };
  using namespace std::string_literals;
  std::vector<Case> const table{
      {R"({"type": "NFC"})", "e\u0301 A\u030a \u1e69 s\u0307\u0323 \u212b \u1100\u1161\u11a8",
       "\u00e9 \u00c5 \u1e69 \u1e69 \u00c5 \uac01"},
      {R"({"type": "NFD"})", "\u00e9\u1e69\uac01\u0344", "e\u0301s\u0323\u0307\u1100\u1161\u11a8\u0308\u0301"},
      {R"({"type": "NFKC"})", "\ufb01 \u2460 \u00bd \uff21 \u00a0x", "fi 1 1\u20442 A  x"},
      {R"({"type": "NFKD"})", "\ufb01\u00e9\u1e9b\u0323", "fie\u0301s\u0323\u0307"},
      {R"({"type": "NFC"})", "a\u07fd\u0334", "a\u07fd\u0334"},
      {R"({"type": "Lowercase"})", "\u0130STANBUL \u00c4\u1e9e\u03a3", "i\u0307stanbul \u00e4\u00df\u03c3"},
      {R"({"type": "StripAccents"})", "e\u0301a\u0308x\u0489", "eax"},
      {R"({"type": "Nmt"})",
       "a\tb\u200bc\x01"
       "d\u2581e\ufffdf\x0b"
       "g",
       "a b cd e fg"},
      {R"({"type": "Strip", "strip_left": true, "strip_right": false})", "\u3000 a ", "a "},
      {R"({"type": "Strip", "strip_left": false, "strip_right": true})", " a\u00a0\n", " a"},
      {R"({"type": "Strip", "strip_left": true, "strip_right": true})", "  ", ""},
      {R"({"type": "Replace", "pattern": {"String": "ab"}, "content": "X"})", "aababb", "aXXb"},
      {R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})", "a   b  c d", "a b c d"},
      {R"({"type": "Replace", "pattern": {"String": ""}, "content": "-"})", "ab", "-a-b-"},
      {R"({"type": "Prepend", "prepend": "\u2581"})", "ab", "\u2581ab"},
      {R"({"type": "ByteLevel"})", "a \u00e9\n", "a\u0120\u00c3\u00a9\u010a"},
      {R"({"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true})",
       "H\u00e9llo\x00"
       "\t\u4e2d\u6587 \u200d\u1e69 \u0130\u00a0X\ufffd"s,
       "hello  \u4e2d  \u6587  s i x"},
      {R"({"type": "BertNormalizer", "clean_text": false, "handle_chinese_chars": false, "strip_accents": false, "lowercase": true})",
       "H\u00c9\x01"
       " \u0130",
       "h\u00e9\x01"
       " i\u0307"},
      {R"({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Sequence", "normalizers": [{"type": "Lowercase"}]}]})",
       "\u00c9\u1e69A", "esa"},
  };
  for (Case const& c : table) EXPECT_EQ(normalized(c.normalizer, c.text), c.result) << c.normalizer;
}

/// One rule: a becomes xy. The root leads to unit 96 for a, whose value stands in unit 97.
std::string charsmap() {
  std::vector<std::uint32_t> units(98);
  units[0] = 1u << 10;
  units[96] = 1u << 10 | 1u << 8 | 'a';
  units[97] = 1u << 31;
  auto const size = static_cast<std::uint32_t>(units.size() * sizeof units[0]);
  std::string bytes(reinterpret_cast<char const*>(&size), sizeof size);
  bytes.append(reinterpret_cast<char const*>(units.data()), size);
  return bytes.append("xy", 3);
}

// A cluster of up to five bytes is looked up as a whole, and then its first character decides.
TEST(Normalizer, PrecompiledLooksAtClusters) {
  struct Case {
    std::string text, result;
  };
  std::vector<Case> const table{
      {"a", "xy"},         {"cab b", "cxyb b"},
      {"a\u0301b", "xyb"}, {"a\u0301\u0301\u0301", "xy\u0301\u0301\u0301"},
      {"\r\na", "\r\nxy"}, {"\u4e2da", "\u4e2dxy"},
  };
  auto const chain = NormalizerChain::make({PrecompiledNormalizer{charsmap()}});
  ASSERT_TRUE(chain.has_value());
  for (Case const& c : table) {
    RewriteSpace space;
    NormalizeScratch scratch;
    EXPECT_EQ(chain->apply({.text = c.text}, space, scratch).text, c.result) << c.text;
  }
}

TEST(Normalizer, BrokenCharsmapsAreRefused) {
  std::string const good = charsmap();
  std::string outside = good;
  outside[4 + 97 * 4] = 9;  // behind all texts
  for (std::string const& bytes :
       {std::string(), good.substr(0, 3), good.substr(0, 100), std::string(4, '\0'), outside}) {
    auto const chain = NormalizerChain::make({PrecompiledNormalizer{bytes}});
    ASSERT_TRUE(chain.has_error());
    EXPECT_NE(chain.error().message.find("precompiled_charsmap"), std::string::npos);
  }
}

// Metaspace "first" looks at where a piece comes from; this is where the library says.
TEST(Normalizer, KeepsWhereBytesComeFrom) {
  struct Case {
    std::string normalizer, text;
    std::vector<std::uint32_t> origins;
  };
  std::vector<Case> const table{
      {R"({"type":"Strip","strip_left":true,"strip_right":true})", "  ab ", {2, 3}},
      {R"({"type":"Lowercase"})", "A\u0130", {0, 1, 1, 1}},
      {R"({"type":"NFD"})", "a\u00e9b", {0, 1, 1, 1, 3}},
      {R"({"type":"NFC"})", "ae\u0301b", {0, 1, 1, 4}},
      {R"({"type":"Prepend","prepend":"xy"})", "ab", {0, 0, 0, 1}},
      {R"({"type":"Replace","pattern":{"String":"bc"},"content":"X"})", "abcd", {0, 2, 3}},
  };
  for (Case const& c : table) {
    auto const chain = NormalizerChain::make(test::File{.normalizer = c.normalizer}.spec().normalizers);
    RewriteSpace space;
    space.tracked = true;
    NormalizeScratch scratch;
    std::vector<std::uint32_t> from(c.text.size());
    for (std::size_t i = 0; i < c.text.size(); ++i) {
      from[i] = is_continuation(c.text[i]) ? from[i - 1] : static_cast<std::uint32_t>(i);
    }
    Piece const piece = chain->apply({.text = c.text, .origins = from.data()}, space, scratch);
    EXPECT_EQ(std::vector(piece.origins, piece.origins + piece.text.size()), c.origins) << c.normalizer;
  }
}

}  // namespace
}  // namespace kvgate::text
