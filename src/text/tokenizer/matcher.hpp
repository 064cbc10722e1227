// Finds what a pattern matches in a text: for Split, Replace and the pre-tokenizers that are a Split with a name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "text/spec/spec.hpp"
#include "text/tokenizer/regex.hpp"

namespace kvgate::text {

/// A stretch of a text that matches or does not. Stretches follow each other and cover the text.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_match = false;
};

inline constexpr char const* kTooHard = "the text makes a pattern of the tokenizer try too much";
/// See Rewritten::loose.
inline constexpr char const* kGoesWrong = "the tokenizer's normalizers do not go together";

/// Immutable, shared between threads.
class Matcher {
 public:
  virtual ~Matcher() = default;

  /// Appends the stretches of `text`, which is not empty. Matches may be empty. False: too hard, see Regex.
  virtual bool find(std::string_view text, RegexScratch& scratch, std::vector<Stretch>& out) const = 0;
};

/// Each code point with one of these facts is a match of its own (CharFact).
std::unique_ptr<Matcher const> match_facts(std::uint16_t any_of);
std::unique_ptr<Matcher const> match_char(char32_t c);
/// Runs of word characters, and runs of what is neither that nor white space.
std::unique_ptr<Matcher const> match_words();
Result<std::unique_ptr<Matcher const>> match_pattern(PatternSpec const& pattern);

}  // namespace kvgate::text
