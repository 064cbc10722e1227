#include "text/chat/special_tokens.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace kvgate::text {
namespace {

constexpr std::array<std::string_view, 7> kNames{"bos_token", "eos_token", "unk_token", "sep_token",
                                                 "pad_token", "cls_token", "mask_token"};

/// What a class takes for the names above that no file mentions; empty: nothing.
struct ClassDefaults {
  std::string_view name;
  std::array<std::string_view, 7> tokens;
};

constexpr std::array<std::string_view, 7> kRoberta{"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"};
constexpr std::array<std::string_view, 7> kQwen{"", "<|endoftext|>", "<|endoftext|>", "", "<|endoftext|>", "", ""};
constexpr std::array<std::string_view, 7> kLlama{"<s>", "</s>", "<unk>", "", "", "", ""};
constexpr std::array<ClassDefaults, 16> kDefaults{
    {{"LlamaTokenizer", kLlama},
     {"CodeLlamaTokenizer", kLlama},
     {"Qwen2Tokenizer", kQwen},
     {"Qwen3_5Tokenizer", kQwen},
     {"GemmaTokenizer", {"<bos>", "<eos>", "<unk>", "", "<pad>", "", "<mask>"}},
     {"CohereTokenizer", {"<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>", "<UNK>", "<SEP>", "<PAD>", "<CLS>", "<MASK_TOKEN>"}},
     {"GPT2Tokenizer", {"<|endoftext|>", "<|endoftext|>", "<|endoftext|>", "", "", "", ""}},
     {"WhisperTokenizer", {"<|endoftext|>", "<|endoftext|>", "<|endoftext|>", "", "", "", ""}},
     {"GPTNeoXTokenizer", {"<|endoftext|>", "<|endoftext|>", "<|endoftext|>", "", "<|padding|>", "", ""}},
     {"BertTokenizer", {"", "", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}},
     {"AlbertTokenizer", {"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"}},
     {"RobertaTokenizer", kRoberta},
     {"BartTokenizer", kRoberta},
     {"XLMRobertaTokenizer", kRoberta},
     {"T5Tokenizer", {"", "</s>", "<unk>", "", "<pad>", "", ""}},
     {"DebertaV2Tokenizer", {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}}}};

/// The class that a model type is registered with, for those whose class has defaults.
struct TypeClass {
  std::string_view model_type;
  std::string_view name;
};

constexpr std::array<TypeClass, 55> kTypeClasses{{{"aya_vision", "CohereTokenizer"},
                                                  {"bart", "RobertaTokenizer"},
                                                  {"bert", "BertTokenizer"},
                                                  {"code_llama", "CodeLlamaTokenizer"},
                                                  {"codegen", "GPT2Tokenizer"},
                                                  {"cohere", "CohereTokenizer"},
                                                  {"cohere2", "CohereTokenizer"},
                                                  {"colqwen2", "Qwen2Tokenizer"},
                                                  {"dbrx", "GPT2Tokenizer"},
                                                  {"deberta-v2", "DebertaV2Tokenizer"},
                                                  {"distilbert", "BertTokenizer"},
                                                  {"emu3", "GPT2Tokenizer"},
                                                  {"falcon_mamba", "GPTNeoXTokenizer"},
                                                  {"gemma", "GemmaTokenizer"},
                                                  {"gemma2", "GemmaTokenizer"},
                                                  {"gemma3", "GemmaTokenizer"},
                                                  {"gemma3_text", "GemmaTokenizer"},
                                                  {"gemma3n", "GemmaTokenizer"},
                                                  {"gemma3n_text", "GemmaTokenizer"},
                                                  {"gpt2", "GPT2Tokenizer"},
                                                  {"gpt_neo", "GPT2Tokenizer"},
                                                  {"gpt_neox", "GPTNeoXTokenizer"},
                                                  {"gptj", "GPT2Tokenizer"},
                                                  {"internvl", "Qwen2Tokenizer"},
                                                  {"jais2", "GPT2Tokenizer"},
                                                  {"mamba", "GPTNeoXTokenizer"},
                                                  {"mamba2", "GPTNeoXTokenizer"},
                                                  {"mpt", "GPTNeoXTokenizer"},
                                                  {"nomic_bert", "BertTokenizer"},
                                                  {"olmo", "GPTNeoXTokenizer"},
                                                  {"olmoe", "GPTNeoXTokenizer"},
                                                  {"opt", "GPT2Tokenizer"},
                                                  {"ovis2", "Qwen2Tokenizer"},
                                                  {"phi", "GPT2Tokenizer"},
                                                  {"qwen2", "Qwen2Tokenizer"},
                                                  {"qwen2_5_omni", "Qwen2Tokenizer"},
                                                  {"qwen2_5_vl", "Qwen2Tokenizer"},
                                                  {"qwen2_audio", "Qwen2Tokenizer"},
                                                  {"qwen2_moe", "Qwen2Tokenizer"},
                                                  {"qwen2_vl", "Qwen2Tokenizer"},
                                                  {"qwen3", "Qwen2Tokenizer"},
                                                  {"qwen3_5", "Qwen3_5Tokenizer"},
                                                  {"qwen3_5_moe", "Qwen3_5Tokenizer"},
                                                  {"qwen3_5_text", "Qwen3_5Tokenizer"},
                                                  {"qwen3_moe", "Qwen2Tokenizer"},
                                                  {"qwen3_next", "Qwen2Tokenizer"},
                                                  {"qwen3_omni_moe", "Qwen2Tokenizer"},
                                                  {"qwen3_vl", "Qwen2Tokenizer"},
                                                  {"qwen3_vl_moe", "Qwen2Tokenizer"},
                                                  {"recurrent_gemma", "GemmaTokenizer"},
                                                  {"roberta", "RobertaTokenizer"},
                                                  {"starcoder2", "GPT2Tokenizer"},
                                                  {"t5", "T5Tokenizer"},
                                                  {"t5gemma", "GemmaTokenizer"},
                                                  {"xlm-roberta", "XLMRobertaTokenizer"}}};

// Model types that are registered with the general class, whatever tokenizer_config.json says.
constexpr std::array<std::string_view, 90> kGeneralTypes{"EvollaModel",
                                                         "arctic",
                                                         "aria",
                                                         "bigbird_pegasus",
                                                         "camembertv2-base",
                                                         "canary",
                                                         "chameleon",
                                                         "chatlm",
                                                         "cohere_asr",
                                                         "deepseek_ocr",
                                                         "deepseek_ocr2",
                                                         "deepseek_v2",
                                                         "deepseek_v3",
                                                         "deepseek_v32",
                                                         "deepseek_v4",
                                                         "deepseek_vl",
                                                         "deepseek_vl_hybrid",
                                                         "deepseek_vl_v2",
                                                         "ernie4_5",
                                                         "ernie4_5_moe",
                                                         "flex_olmo",
                                                         "fuyu",
                                                         "glm",
                                                         "glm4",
                                                         "glm4_moe",
                                                         "glm4_moe_lite",
                                                         "glm4v",
                                                         "glm4v_moe",
                                                         "glm_image",
                                                         "glmasr",
                                                         "got_ocr2",
                                                         "gpt_bigcode",
                                                         "granite",
                                                         "granitemoe",
                                                         "granitemoehybrid",
                                                         "granitemoeshared",
                                                         "h2ovl_chat",
                                                         "hyperclovax",
                                                         "hyperclovax_vlm",
                                                         "internlm2",
                                                         "jamba",
                                                         "janus",
                                                         "kimi_k25",
                                                         "kimi_linear",
                                                         "kosmos-2",
                                                         "llava",
                                                         "llava_next",
                                                         "mimo_v2_flash",
                                                         "minicpm3",
                                                         "minicpmv",
                                                         "minicpmv4_6",
                                                         "minicpmv4_7",
                                                         "minimax_m2",
                                                         "ministral",
                                                         "ministral3",
                                                         "mistral",
                                                         "mistral3",
                                                         "mixtral",
                                                         "modernbert",
                                                         "modernbert-decoder",
                                                         "molmo",
                                                         "molmo2",
                                                         "nemotron",
                                                         "nvfp4",
                                                         "nystromformer",
                                                         "olmo2",
                                                         "olmo3",
                                                         "olmo_hybrid",
                                                         "opencua",
                                                         "openvla",
                                                         "paddleocr_vl",
                                                         "pegasus_x",
                                                         "persimmon",
                                                         "phi3",
                                                         "phi3_v",
                                                         "phimoe",
                                                         "pix2struct",
                                                         "pixtral",
                                                         "smolvlm",
                                                         "stablelm",
                                                         "step3_vl",
                                                         "step3p5",
                                                         "step3p7",
                                                         "umt5",
                                                         "unlimited-ocr",
                                                         "unlimited_ocr",
                                                         "vipllava",
                                                         "voxtral",
                                                         "voxtral_realtime",
                                                         "xlm-roberta-xl"};

// Model types whose registered class counts, and not the one that tokenizer_config.json names.
constexpr std::array<std::string_view, 3> kDistrusted{"qwen2", "qwen3_5", "qwen3_5_moe"};

constexpr std::string_view kGeneral = "TokenizersBackend";

std::string_view registered_class(std::string_view model_type) {
  auto const* found = std::ranges::find(kTypeClasses, model_type, &TypeClass::model_type);
  return found == kTypeClasses.end() ? std::string_view() : found->name;
}

ClassDefaults const* defaults_of(std::string_view name) {
  auto const* found = std::ranges::find(kDefaults, name, &ClassDefaults::name);
  return found == kDefaults.end() ? nullptr : found;
}

std::string_view text_of(Value const& value) {
  return value.is_string() ? value.text() : std::string_view();
}

/// A token is a text or an object with its content.
Value token_text(Value const& token) {
  return token.is_dict() ? token.get("content") : token;
}

bool is_model_specific(std::string_view key) {
  return key.ends_with("_token") && std::ranges::find(kNames, key) == kNames.end();
}

using Tokens = std::vector<std::pair<std::string, std::string>>;

void add_model_specific(Value const& config, Tokens& out) {
  if (!config.is_dict()) return;
  for (auto const& [key, value] : config.dict().entries()) {
    Value const text = token_text(value);
    bool const named = value.is_string() || is_text(value.get("__type"), "AddedToken");
    if (is_model_specific(key.text()) && named && text.is_string()) out.emplace_back(key.text(), text.text());
  }
  Value const extra = config.get("extra_special_tokens");
  if (!extra.is_dict()) return;
  for (auto const& [key, value] : extra.dict().entries()) {
    if (token_text(value).is_string()) out.emplace_back(key.text(), token_text(value).text());
  }
}

}  // namespace

std::string_view tokenizer_class(TokenizerFiles const& files) {
  std::string_view const model_type = text_of(files.config.get("model_type"));
  if (std::ranges::binary_search(kGeneralTypes, model_type)) return kGeneral;
  Value const named = files.tokenizer_config.get("tokenizer_class");
  std::string_view name = text_of(is_null(named) ? files.config.get("tokenizer_class") : named);
  if (name.ends_with("Fast")) name.remove_suffix(4);
  bool const distrusted = std::ranges::find(kDistrusted, model_type) != kDistrusted.end();
  if (name.empty() || distrusted) name = registered_class(model_type);
  return defaults_of(name) != nullptr ? name : kGeneral;
}

Tokens special_tokens(TokenizerFiles const& files) {
  bool const with_map = files.tokenizer_config.get("added_tokens_decoder").is_undefined();
  ClassDefaults const* defaults = defaults_of(tokenizer_class(files));
  Tokens out;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    Value token = files.tokenizer_config.get(kNames[i]);
    if (Value const mapped = files.special_tokens_map.get(kNames[i]); with_map && !mapped.is_undefined())
      token = mapped;
    if (token.is_undefined() && defaults != nullptr && !defaults->tokens[i].empty()) {
      token = Value::string(defaults->tokens[i]);
    }
    if (token_text(token).is_string()) out.emplace_back(kNames[i], token_text(token).text());
  }
  add_model_specific(files.tokenizer_config, out);
  return out;
}

}  // namespace kvgate::text
