// A regular expression while it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kvgate::text {

/// Why a pattern cannot be taken. Thrown inside pattern_*.cpp only.
struct PatternError {
  std::string what;
};

struct PatternFlags {
  bool ignore_case = false;
  bool dot_all = false;
};

struct Quantifier {
  std::string text;          ///< in PCRE2's syntax
  bool is_interval = false;  ///< {n,m}
  bool is_exact = false;     ///< {n}
  bool least_is_zero = false;
  bool unbounded = false;
};

/// Valid UTF-8 (the loader has checked the file).
class PatternText {
 public:
  explicit PatternText(std::string_view text) noexcept : rest_(text) {}

  bool done() const noexcept { return rest_.empty(); }
  char peek() const noexcept { return rest_[0]; }
  std::string_view rest() const noexcept { return rest_; }
  void skip(std::size_t bytes = 1) noexcept { rest_.remove_prefix(bytes); }

  bool take(char c) noexcept;
  bool take(std::string_view text) noexcept;
  char32_t take_code_point() noexcept;  ///< not at the end

  /// Up to and with `close`.
  void skip_name(char close);

  /// Behind an atom. A brace that begins no interval is a character, and no quantifier.
  std::optional<Quantifier> take_quantifier();

  /// Hexadecimal digits, so many at least and at most.
  char32_t take_hex(std::size_t least, std::size_t most);

  [[noreturn]] void refuse(std::string what) const { throw PatternError{std::move(what)}; }

 private:
  std::optional<Quantifier> take_interval();
  std::optional<std::uint32_t> take_number(std::string_view& text) const noexcept;

  std::string_view rest_;
};

}  // namespace kvgate::text
