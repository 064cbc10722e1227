#include "openai/response_id.hpp"

#include <algorithm>

namespace kvgate::openai {
namespace {

constexpr std::string_view kPrefix = "resp_";
constexpr std::size_t kMaxId = 256;

bool id_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '~' || c == '-';
}

bool response_id(std::string_view text) {
  return text.starts_with(kPrefix) && text.size() <= kMaxId && std::all_of(text.begin(), text.end(), id_char);
}

/// Walks over the strings of the beginning of a JSON text and knows for each its depth and whether it is a key.
class JsonWalker {
 public:
  explicit JsonWalker(std::string_view json) : rest_(json) {}

  /// The id in `{"id":...}` or `{"response":{"id":...}}`.
  std::optional<std::string_view> find() {
    while (next_string()) {
      if (!key_) {
        auto const at_id = last_key_ == "id" && (depth_ == 1 || (depth_ == 2 && in_response_));
        if (at_id && response_id(text_)) return text_;
        last_key_ = {};
        continue;
      }
      last_key_ = text_;
      if (depth_ == 1) in_response_ = text_ == "response";
    }
    return std::nullopt;
  }

 private:
  /// False at the end, also when that is in the middle of a string.
  bool next_string() {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      auto const c = rest_[i];
      if (c == '{' || c == '[') ++depth_;
      if (c == '}' || c == ']') --depth_;
      if (c == ',') last_key_ = {};
      if (c != '"') continue;
      auto const end = string_end(i + 1);
      if (end == std::string_view::npos) return false;
      text_ = rest_.substr(i + 1, end - i - 1);
      rest_.remove_prefix(end + 1);
      auto const after = rest_.find_first_not_of(" \t\r\n");
      key_ = after != std::string_view::npos && rest_[after] == ':';
      return true;
    }
    return false;
  }

  std::size_t string_end(std::size_t from) const {
    for (auto i = from; i < rest_.size(); ++i) {
      if (rest_[i] == '"') return i;
      if (rest_[i] == '\\') ++i;
    }
    return std::string_view::npos;
  }

  std::string_view rest_, text_, last_key_;
  int depth_ = 0;
  bool key_ = false;
  bool in_response_ = false;
};

std::optional<std::string_view> find_in_stream(std::string_view text) {
  while (!text.empty()) {
    auto const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with("data:")) continue;
    if (auto const id = JsonWalker(line.substr(5)).find()) return id;
  }
  return std::nullopt;
}

std::optional<std::string_view> find_id(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::nullopt;
  return text[first] == '{' ? JsonWalker(text).find() : find_in_stream(text);
}

}  // namespace

void ResponseIdFinder::reset() noexcept {
  size_ = 0;
  id_.reset();
}

void ResponseIdFinder::feed(std::string_view payload) {
  auto const more = std::min(payload.size(), kHead - size_);
  if (id_ || more == 0) return;
  std::copy_n(payload.data(), more, head_.data() + size_);
  size_ += more;
  // An answer starts with its id: the few bytes before it are read again when it comes in pieces.
  if (auto const id = find_id({head_.data(), size_})) id_.emplace(*id);
}

}  // namespace kvgate::openai
