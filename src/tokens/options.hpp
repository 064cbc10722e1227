// What the configuration says about tokens: members named as their keys.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace kvgate::tokens {

/// How the prompts of one model become token ids.
struct ModelOptions {
  std::string tokenizer = "auto";        ///< auto | remote | none | a folder or file
  std::string chat_template;             ///< a file; empty: the folder's own
  std::string content_format = "auto";   ///< auto | string | openai
  std::string default_chat_template_kwargs;           ///< a JSON object; empty: none
  bool exclude_tools_when_tool_choice_none = false;
  std::string system_start_date;                      ///< of gpt-oss, YYYY-MM-DD; empty: today
};

struct Options {
  std::string dir;                                ///< <dir>/<model id>; empty: none
  std::string hf_cache;                           ///< a Hugging Face cache; empty: none
  bool check = true;                              ///< against each engine's /tokenize
  std::chrono::milliseconds remote_timeout{200};  ///< of one question
  std::size_t cache = 64 * 1024 * 1024;           ///< bytes, for tokens of texts seen before
  std::uint32_t threads = 1;                      ///< for what is too long for a worker
  std::size_t long_text = 64 * 1024;              ///< bytes; bodies above this go to these threads
  std::map<std::string, ModelOptions> models;     ///< by id; others are as the default
};

}  // namespace kvgate::tokens
