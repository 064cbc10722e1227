// A compiled regular expression, searched with PCRE2's just-in-time code.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "kvgate/error.hpp"

namespace kvgate::text {

/// What a search needs beside text and pattern. One thread at a time.
class RegexScratch {
 public:
  RegexScratch();
  ~RegexScratch();
  RegexScratch(RegexScratch const&) = delete;
  RegexScratch& operator=(RegexScratch const&) = delete;

 private:
  friend class Regex;
  struct State;
  std::unique_ptr<State> state_;
};

/// Immutable, shared between threads.
class Regex {
 public:
  struct Match {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  enum class Found { yes, no, too_hard };

  /// A pattern in Oniguruma's syntax; an error if it cannot be translated faithfully.
  static Result<Regex> make(std::string_view oniguruma);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  /// The first match that begins at `from` or behind. `too_hard`: given up, the text makes the pattern try too much.
  Found find(std::string_view text, std::size_t from, RegexScratch& scratch, Match& match) const;

 private:
  struct Code;
  explicit Regex(std::unique_ptr<Code> code) noexcept;
  std::unique_ptr<Code> code_;
};

}  // namespace kvgate::text
