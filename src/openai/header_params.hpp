// `value; name=token; name="quoted"`: how Content-Type and Content-Disposition carry parameters.
#pragma once

#include <string>
#include <string_view>

namespace kvgate::openai {

/// Without spaces and tabs around it.
std::string_view trim_blanks(std::string_view text) noexcept;

/// Reads the parameters one by one.
class HeaderParams {
 public:
  /// `value` is the field value; what stands before the first ";" is main().
  explicit HeaderParams(std::string_view value) noexcept;

  std::string_view main() const noexcept { return main_; }

  /// Moves to the next parameter; false at the end, or when the rest is malformed (then ok() is false).
  bool next();

  std::string_view name() const noexcept { return name_; }    ///< as it came, without the blanks around it
  std::string const& text() const noexcept { return text_; }  ///< quotes and backslashes resolved
  bool ok() const noexcept { return ok_; }

 private:
  bool read_quoted();

  std::string_view main_, rest_, name_;
  std::string text_;
  bool ok_ = true;
};

}  // namespace kvgate::openai
