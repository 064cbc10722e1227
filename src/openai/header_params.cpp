#include "openai/header_params.hpp"

#include <algorithm>

namespace kvgate::openai {
std::string_view trim_blanks(std::string_view text) noexcept {
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

HeaderParams::HeaderParams(std::string_view value) noexcept {
  auto const end = std::min(value.find(';'), value.size());
  main_ = trim_blanks(value.substr(0, end));
  rest_ = value.substr(end);
}

bool HeaderParams::next() {
  rest_ = trim_blanks(rest_);
  while (rest_.starts_with(';')) rest_ = trim_blanks(rest_.substr(1));
  if (rest_.empty()) return false;
  auto const equals = rest_.find_first_of("=;\"");
  ok_ = equals != std::string_view::npos && rest_[equals] == '=' && equals > 0;
  if (!ok_) return false;
  name_ = trim_blanks(rest_.substr(0, equals));
  rest_ = trim_blanks(rest_.substr(equals + 1));
  if (rest_.starts_with('"')) return ok_ = read_quoted();
  auto const end = std::min(rest_.find(';'), rest_.size());
  text_ = trim_blanks(rest_.substr(0, end));
  rest_.remove_prefix(end);
  return true;
}

/// Only `\"` and `\\` are escapes: browsers and old clients send a backslash of a file name as it is.
bool HeaderParams::read_quoted() {
  text_.clear();
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '"') {
      rest_ = trim_blanks(rest_.substr(i + 1));
      return rest_.empty() || rest_.front() == ';';
    }
    auto const escaped = rest_[i] == '\\' && i + 1 < rest_.size() && (rest_[i + 1] == '"' || rest_[i + 1] == '\\');
    text_.push_back(rest_[escaped ? ++i : i]);
  }
  return false;
}

}  // namespace kvgate::openai
