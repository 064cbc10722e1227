// Sets of code points, as sorted ranges: what a character class of a pattern comes to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "text/unicode/classes.hpp"

namespace kvgate::text {

class CodeSet {
 public:
  CodeSet() = default;
  explicit CodeSet(std::vector<CodeRange> ranges);
  static CodeSet of(char32_t c) { return CodeSet({{c, c}}); }

  std::vector<CodeRange> const& ranges() const noexcept { return ranges_; }
  bool empty() const noexcept { return ranges_.empty(); }

  void add(CodeSet const& other);
  CodeSet inverted() const;  ///< all other code points
  CodeSet common_with(CodeSet const& other) const;

  /// As a class in PCRE2's syntax that needs no table: `[\x{41}-\x{5a}]`. Of nothing: a class that never matches.
  std::string to_pcre() const;

 private:
  std::vector<CodeRange> ranges_;  ///< ascending, apart
};

}  // namespace kvgate::text
