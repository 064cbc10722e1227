#include "text/bpe/split_pattern.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace kvgate::text::bpe {
namespace {

struct RegexRow {
  std::string_view regex;
  SplitPattern pattern;
};

constexpr auto kRegexes = std::to_array<RegexRow>({
    {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)re"
     R"re(\s*[\r\n]+|\s+(?!\S)|\s+)re",
     SplitPattern::cl100k},
    {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)re"
     R"re(\s*[\r\n]+|\s+(?!\S)|\s+)re",
     SplitPattern::qwen2},
    {R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)re"
     R"re(\s*[\r\n]+|\s+(?!\S)|\s+)re",
     SplitPattern::qwen3_5},
    {R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)re"
     R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)re"
     R"re(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
     SplitPattern::o200k},
    {R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)re"
     R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)re"
     R"re(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re",
     SplitPattern::tekken},
});

// The line breaks of the third stand in the file as such.
constexpr auto kDeepSeek = std::to_array<std::string_view>({
    R"re(\p{N}{1,3})re",
    "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
    " ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
});

using Splits = std::span<PreTokenizerSpec const>;

/// The regex of a Split that isolates what it matches; empty for anything else.
std::string_view isolating_regex(PreTokenizerSpec const& spec) noexcept {
  auto const* split = std::get_if<SplitPreTokenizer>(&spec);
  if (!split || !split->pattern.is_regex || split->behavior != SplitBehavior::isolated || split->invert) return {};
  return split->pattern.text;
}

std::optional<SplitPattern> known_regexes(Splits splits) noexcept {
  if (splits.size() == 1) return known_regex(isolating_regex(splits[0]));
  if (std::ranges::equal(splits, kDeepSeek, {}, isolating_regex)) return SplitPattern::deepseek_v3;
  return std::nullopt;
}

}  // namespace

std::optional<SplitPattern> known_regex(std::string_view regex) noexcept {
  auto const row = std::ranges::find(kRegexes, regex, &RegexRow::regex);
  return row == kRegexes.end() ? std::nullopt : std::optional(row->pattern);
}

std::optional<SplitPattern> known_split(std::vector<PreTokenizerSpec> const& pre_tokenizers) {
  if (pre_tokenizers.empty()) return std::nullopt;
  auto const* bytes = std::get_if<ByteLevelPreTokenizer>(&pre_tokenizers.back());
  if (!bytes || bytes->add_prefix_space) return std::nullopt;
  Splits const before(pre_tokenizers.data(), pre_tokenizers.size() - 1);
  if (bytes->use_regex) return before.empty() ? std::optional(SplitPattern::gpt2) : std::nullopt;
  return known_regexes(before);
}

}  // namespace kvgate::text::bpe
