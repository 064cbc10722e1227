// Encoding is done for every request: once it has grown to what texts need, a scratch allocates nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "text/tokenizer/tokenizer.hpp"
#include "unit/tokenizer/json.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  return ++allocations, std::malloc(size);
}
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept {
  return ++allocations, std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace kvgate::text {
namespace {

using test::added;
using test::File;

TEST(Allocation, NoneOnceWarm) {
  std::string const unigram =
      R"({"type":"Unigram","vocab":[["?",0],["a",-1],["\u2581a",-1.5],["b",-1],["\u2581",-2]],"unk_id":0,"byte_fallback":false})";
  std::string const word_piece =
      R"({"type":"WordPiece","vocab":{"?":0,"a":1,"##b":2,"b":3},"unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":9})";
  std::string const bpe =
      R"({"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"\u0120":3,"\u0120a":4},"merges":["a b","\u0120 a"]})";
  std::string const metaspace = R"({"type":"Metaspace","replacement":"\u2581","prepend_scheme":"first","split":true})";
  std::string const bert =
      R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true})";
  std::string const specials = "[" + added("<s>", "special") + "," + added("bb", "normalized lstrip") + "]";
  std::vector<File> const files{
      {.pre_tokenizer = R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true})",
       .added_tokens = specials,
       .model = bpe},
      {.normalizer = R"({"type":"Lowercase"})", .pre_tokenizer = metaspace, .added_tokens = specials, .model = unigram},
      {.normalizer = R"({"type":"NFC"})", .pre_tokenizer = R"({"type":"WhitespaceSplit"})", .model = unigram},
      {.normalizer = bert, .pre_tokenizer = R"({"type":"BertPreTokenizer"})", .model = word_piece},
      {.normalizer = bert, .pre_tokenizer = R"({"type":"Punctuation"})", .model = word_piece},
      {.pre_tokenizer = R"({"type":"Split","pattern":{"Regex":"a+b"},"behavior":"Contiguous","invert":true})",
       .model = word_piece},
  };
  std::string text;
  for (int i = 0; i < 300; ++i) text += "ab A\u00e9 <s>bb, \u4e2d\u6587 e\u0301x  abba\n";
  for (File const& file : files) {
    auto const tokenizer = *Tokenizer::make(file.spec());
    TokenizerScratch scratch;
    std::vector<std::uint32_t> ids;
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(tokenizer->encode(text, {}, scratch, ids)) << file.json();
    std::size_t const before = allocations;
    ASSERT_TRUE(tokenizer->encode(text, {}, scratch, ids));
    EXPECT_EQ(allocations, before) << file.json();
  }
}

}  // namespace
}  // namespace kvgate::text
