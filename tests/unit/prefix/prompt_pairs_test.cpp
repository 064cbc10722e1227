// Which requests are the same prompt for an engine and which are not.
#include <gtest/gtest.h>

#include "unit/prefix/prompts.hpp"

namespace kvgate::prefix {
namespace {

using openai::ApiKind;

struct Pair {
  ApiKind api;
  std::string a, b;
};

std::string chat(std::string const& messages) {
  return R"({"model":"m","messages":[)" + messages + "]}";
}

std::string user(std::string const& content) {
  return chat(R"({"role":"user","content":)" + content + "}");
}

TEST(PromptText, WhatMakesNoDifference) {
  auto const A = ApiKind::chat;
  Pair const pairs[] = {
      {A, user(R"("caf\u00e9 \ud83d\ude00 \/ \u0041\u0022\n\t")"),
       user("\"caf\xC3\xA9 \xF0\x9F\x98\x80 / A\\\"\\u000a\\u0009\"")},
      {A, user(R"("a")"), R"( { "messages" : [ { "role" : "user" , "content" : "a" } ] , "model" : "m" } )"},
      {A, user(R"("a")"), chat(R"({"content":"a","role":"user"})")},
      {A, user(R"("a")"), chat(R"({"r\u006fle":"user","cont\u0065nt":"a"})")},
      {A, user(R"("a")"), user(R"([{"type":"text","text":"a"}])")},
      {A, user(R"("a")"), user(R"(["a"])")},
      {A, user(R"([{"type":"text","text":"a"}])"),
       user(R"([{"cache_control":{"type":"ephemeral"},"text":"a","type":"text"}])")},
      {A, user(R"("a")"),
       R"({"messages":[{"role":"user","content":"a"}],"max_tokens":9,"seed":1,"tool_choice":"none","n":2})"},
      {A, user(R"("a")"), R"({"tools":null,"messages":[{"role":"user","content":"a","name":null,"id":"msg_1"}]})"},
      {A, user(R"("a")"), R"({"add_special_tokens":false,"messages":[{"role":"user","content":"a"}]})"},
      {A, chat(R"({"role":"assistant","content":null,"tool_calls":[{"id":"c"}]})"),
       chat(R"({"tool_calls":[ { "id" : "\u0063" } ],"role":"assistant"})")},
      {A, chat(R"({"role":"assistant","content":"x","reasoning":"r"})"),
       chat(R"({"role":"assistant","reasoning_content":"r","content":"x"})")},
      {A, R"({"tools":[{"name":"f","d":"a\/\u00e9\"\\"}],"messages":[]})",
       "{\"tools\" : [ { \"name\" :\n\t\"f\", \"d\" : \"a/\xC3\xA9\\u0022\\u005c\" } ] , \"messages\":[]}"},
      {A, user(R"([{"type":"image_url","image_url":{"url":"http:\/\/x"}}])"),
       user(R"([{"image_url":{"detail":"low","url":"http://x"},"type":"image_url"}])")},
      {ApiKind::messages, R"({"system":"s","messages":[]})",
       R"({"system":[{"type":"text","text":"s"}],"messages":[]})"},
      {ApiKind::responses, R"({"input":"a"})", R"({"input":[{"type":"message","role":"user","content":"a"}]})"},
      {ApiKind::responses, R"({"input":[{"role":"user","content":"a"}]})",
       R"({"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}]})"},
      {ApiKind::completions, R"({"prompt":[1, 22 ,333]})", R"({"prompt":[1,22,333],"add_special_tokens":true})"},
      {ApiKind::completions, R"({"prompt":"a"})", R"({"prompt":["a"]})"},
  };
  for (auto const& pair : pairs) {
    EXPECT_EQ(test::text_of(pair.api, pair.a), test::text_of(pair.api, pair.b)) << pair.a << "\n" << pair.b;
    EXPECT_FALSE(test::text_of(pair.api, pair.a).empty());
  }
}

TEST(PromptText, WhatMakesADifference) {
  auto const A = ApiKind::chat;
  Pair const pairs[] = {
      {A, user(R"("a")"), user(R"("b")")},
      {A, user(R"("a")"), user(R"("a ")")},
      {A, user(R"("\ud83d")"), user(R"("\ud83e")")},
      {A, user(R"("a\\n")"), user(R"("a\n")")},
      {A, user(R"("a")"), chat(R"({"role":"system","content":"a"})")},
      {A, user(R"("a")"), chat(R"({"role":"user","name":"n","content":"a"})")},
      {A, chat(R"({"role":"user","content":"ab"},{"role":"user","content":"c"})"),
       chat(R"({"role":"user","content":"a"},{"role":"user","content":"bc"})")},
      {A, chat(R"({"role":"user","content":"a"},{"role":"user","content":"b"})"),
       chat(R"({"role":"user","content":["a","b"]})")},
      {A, chat(R"({"role":"user","content":"a"},{"role":"tool","content":"b"})"),
       chat(R"({"role":"tool","content":"b"},{"role":"user","content":"a"})")},
      {A, user(R"(["ab","c"])"), user(R"(["a","bc"])")},
      {A, user(R"(["a","b"])"), user(R"(["b","a"])")},
      {A, chat(R"({"role":"tool","content":"a","tool_call_id":"1"})"),
       chat(R"({"role":"tool","content":"a","tool_call_id":"2"})")},
      {A, chat(R"({"role":"assistant","tool_calls":[{"function":{"arguments":"{}"}}]})"),
       chat(R"({"role":"assistant","tool_calls":[{"function":{"arguments":"{ }"}}]})")},
      {A, chat(R"({"role":"assistant","content":"a","reasoning":"r"})"), chat(R"({"role":"assistant","content":"a"})")},
      {A, user(R"([{"type":"image_url","image_url":{"url":"http://x/1"}}])"),
       user(R"([{"type":"image_url","image_url":{"url":"http://x/2"}}])")},
      {A, user(R"([{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}])"),
       user(R"([{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAB"}}])")},
      {A, user(R"([{"type":"image_url","image_url":{"url":"u"}}])"),
       user(R"([{"type":"video_url","video_url":{"url":"u"}}])")},
      {A, user(R"([{"type":"input_audio","input_audio":{"data":"AA","format":"wav"}}])"),
       user(R"([{"type":"input_audio","input_audio":{"data":"AB","format":"wav"}}])")},
      {A, R"({"tools":[{"a":"b c"}],"messages":[]})", R"({"tools":[{"a":"bc"}],"messages":[]})"},
      {A, R"({"tools":["a\",\"b"],"messages":[]})", R"({"tools":["a","b"],"messages":[]})"},
      {A, R"({"tools":["a"],"messages":[]})", R"({"documents":["a"],"messages":[]})"},
      {A, R"({"tools":[1],"messages":[]})", R"({"tools":["1"],"messages":[]})"},
      {A, R"({"chat_template":"a","messages":[]})", R"({"chat_template":"b","messages":[]})"},
      {A, R"({"chat_template_kwargs":{"t":true},"messages":[]})",
       R"({"chat_template_kwargs":{"t":false},"messages":[]})"},
      {A, R"({"reasoning_effort":"low","messages":[]})", R"({"reasoning_effort":"high","messages":[]})"},
      {A, R"({"add_special_tokens":true,"messages":[]})", R"({"messages":[]})"},
      {ApiKind::messages, R"({"system":"s","messages":[]})", R"({"system":"t","messages":[]})"},
      {ApiKind::messages,
       R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"a"}]}]})",
       R"({"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"text":"b"}]}]}]})"},
      {ApiKind::messages,
       R"({"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{"a":1}}]}]})",
       R"({"messages":[{"role":"assistant","content":[{"type":"tool_use","name":"f","input":{"a":2}}]}]})"},
      {ApiKind::messages,
       R"({"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"A"}}]}]})",
       R"({"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"B"}}]}]})"},
      {ApiKind::responses, R"({"input":"a","instructions":"i"})", R"({"input":"a","instructions":"j"})"},
      {ApiKind::responses, R"({"input":"a","previous_response_id":"r1"})",
       R"({"input":"a","previous_response_id":"r2"})"},
      {ApiKind::responses, R"({"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]})",
       R"({"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{1}"}]})"},
      {ApiKind::responses, R"({"input":[{"type":"function_call_output","call_id":"c","output":"a"}]})",
       R"({"input":[{"type":"function_call_output","call_id":"c","output":"b"}]})"},
      {ApiKind::completions, R"({"prompt":"ab"})", R"({"prompt":["a","b"]})"},
      {ApiKind::completions, R"({"prompt":[1,2]})", R"({"prompt":[2,1]})"},
      {ApiKind::completions, R"({"prompt":[1,2]})", R"({"prompt":"12"})"},
      {ApiKind::completions, R"({"prompt":[[1,2],[3]]})", R"({"prompt":[[1],[2,3]]})"},
      {ApiKind::completions, R"({"prompt":[12]})", R"({"prompt":[1234567890123]})"},
      {ApiKind::batch_chat, R"({"messages":[[{"role":"user","content":"a"}],[{"role":"user","content":"b"}]]})",
       R"({"messages":[[{"role":"user","content":"a"},{"role":"user","content":"b"}]]})"},
      {ApiKind::embeddings, R"({"input":"a","input_type":"query"})", R"({"input":"a","input_type":"document"})"},
      {ApiKind::rerank, R"({"query":"q","documents":["a"]})", R"({"query":"q","documents":["b"]})"},
      {ApiKind::rerank, R"({"query":"q","documents":["a"]})", R"({"query":"q","documents":[{"text":"a"},"b"]})"},
      {ApiKind::score, R"({"text_1":"q","text_2":"a"})", R"({"text_1":"q","text_2":"b"})"},
      {ApiKind::score, R"({"text_1":"ab","text_2":"c"})", R"({"text_1":"a","text_2":"bc"})"},
      {ApiKind::score, R"({"queries":"q","items":["a"]})", R"({"queries":"q","items":["b"]})"},
      {ApiKind::generate, R"({"token_ids":[1,2]})", R"({"token_ids":[1,3]})"},
  };
  for (auto const& pair : pairs) {
    EXPECT_NE(test::text_of(pair.api, pair.a), test::text_of(pair.api, pair.b)) << pair.a << "\n" << pair.b;
  }
}

TEST(PromptText, SystemPromptsAreOneAcrossApis) {
  auto const expected =
      test::text_of(ApiKind::chat, chat(R"({"role":"system","content":"s"},{"role":"user","content":"u"})"));
  EXPECT_EQ(test::text_of(ApiKind::messages, R"({"system":"s","messages":[{"role":"user","content":"u"}]})"), expected);
  EXPECT_EQ(test::text_of(ApiKind::responses, R"({"instructions":"s","input":"u"})"), expected);
}

TEST(PromptText, SeedTellsModelsAndSaltsApart) {
  EXPECT_EQ(prompt_seed("m", "s"), prompt_seed("m", "s"));
  std::vector<std::uint64_t> const seeds{prompt_seed("m", ""),  prompt_seed("m", "s"), prompt_seed("ms", ""),
                                         prompt_seed("", "ms"), prompt_seed("n", ""),  prompt_seed("", "")};
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(seeds[i], seeds[k]) << i << " " << k;
  }
  test::Parsed const parsed(ApiKind::completions, R"({"prompt":")" + std::string(200, 'x') + "\"}");
  PromptBlocks one, other;
  hash_prompt(parsed.view(), seeds[0], one);
  hash_prompt(parsed.view(), seeds[1], other);
  ASSERT_EQ(one.hashes.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(one.hashes[i], other.hashes[i]);
}

}  // namespace
}  // namespace kvgate::prefix
