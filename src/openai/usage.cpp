#include "openai/usage.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <initializer_list>

namespace kvgate::openai {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kName = "\"usage\"";
constexpr std::size_t kPlaces = 64;

/// What follows `text[pos]`, blanks skipped.
std::string_view skip_blanks(std::string_view text, std::size_t pos) {
  auto const first = text.find_first_not_of(kBlanks, pos);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// The value of the member whose name ends at `pos`; empty when no colon follows.
std::string_view value_at(std::string_view text, std::size_t pos) {
  auto const colon = skip_blanks(text, pos);
  return colon.starts_with(':') ? skip_blanks(colon, 1) : std::string_view();
}

/// The object at the start of `text`, braces included; empty when it does not end in it.
std::string_view balanced_object(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const c = text[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '}')) {
      depth += c == '{' ? 1 : -1;
      if (depth == 0) return text.substr(0, i + 1);
    }
  }
  return {};
}

/// The first of these members, at any depth: the names that are asked for do not occur twice in a usage object.
std::optional<std::uint64_t> member(std::string_view object, std::initializer_list<std::string_view> quoted_names) {
  for (auto const name : quoted_names) {
    auto const at = object.find(name);
    if (at == std::string_view::npos) continue;
    auto const text = value_at(object, at + name.size());
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc()) return value;
  }
  return std::nullopt;
}

/// The usage object behind the `"usage"` at `at`. Inside a JSON string each quote has a backslash before it, so one
/// without is a member's name.
Usage usage_at(std::string_view text, std::size_t at) {
  if (at > 0 && text[at - 1] == '\\') return {};
  auto const value = value_at(text, at + kName.size());
  if (!value.starts_with('{')) return {};
  auto const object = balanced_object(value);
  return {.prompt = member(object, {"\"prompt_tokens\"", "\"input_tokens\""}),
          .cached = member(object, {"\"cached_tokens\"", "\"cache_read_input_tokens\""}),
          .completion = member(object, {"\"completion_tokens\"", "\"output_tokens\""})};
}

/// Searched forward, since memmem is some 50 times faster than rfind on what most streams end with: no usage at all.
/// Only the last few places are looked at, which bounds the work for any input.
Usage last_usage(std::string_view text) {
  std::array<std::size_t, kPlaces> places;
  std::size_t count = 0;
  for (auto const* from = text.data(); from != text.data() + text.size();) {
    auto const* hit =
        memmem(from, static_cast<std::size_t>(text.data() + text.size() - from), kName.data(), kName.size());
    if (hit == nullptr) break;
    from = static_cast<char const*>(hit) + kName.size();
    places[count++ % kPlaces] = static_cast<std::size_t>(static_cast<char const*>(hit) - text.data());
  }
  for (auto left = std::min(count, kPlaces); left > 0; --left) {
    auto const found = usage_at(text, places[--count % kPlaces]);
    if (found.prompt || found.completion) return found;
  }
  return {};
}

/// The first usage object with prompt tokens.
Usage first_prompt_usage(std::string_view text) {
  for (auto at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at + kName.size()))
    if (auto const found = usage_at(text, at); found.prompt) return found;
  return {};
}

}  // namespace

void UsageScanner::reset() noexcept {
  total_ = 0;
  line_size_ = 0;
  events_ = 0;
  in_frame_ = has_data_ = done_ = false;
}

void UsageScanner::feed(std::string_view payload) noexcept {
  if (total_ < kHead) {
    auto const at = static_cast<std::size_t>(total_);
    std::copy_n(payload.data(), std::min(payload.size(), kHead - at), head_.data() + at);
  }
  keep_tail(payload);
  if (is_one_frame(payload)) {
    constexpr std::string_view kDone = "data: [DONE]\n\n";
    bool const is_done = payload == kDone;
    done_ = done_ || is_done;
    events_ += is_done ? 0 : 1;
    return;
  }
  while (!payload.empty()) {
    auto const* newline = static_cast<char const*>(std::memchr(payload.data(), '\n', payload.size()));
    auto const size = newline == nullptr ? payload.size() : static_cast<std::size_t>(newline - payload.data());
    add_to_line(payload.substr(0, size));
    if (newline == nullptr) return;
    end_line();
    payload.remove_prefix(size + 1);
  }
}

/// `data: {...}\n\n` and nothing else: how engines write nearly every chunk of a stream.
bool UsageScanner::is_one_frame(std::string_view payload) const noexcept {
  if (line_size_ != 0 || in_frame_ || !payload.starts_with("data: ") || !payload.ends_with("\n\n")) return false;
  return std::memchr(payload.data(), '\n', payload.size() - 2) == nullptr;
}

Usage UsageScanner::usage() const {
  auto found = usage_at_end();
  if (events_ == 0 || !found.completion || found.prompt.value_or(0) != 0) return found;
  auto const begun = static_cast<std::size_t>(std::min<std::uint64_t>(total_, kHead));
  auto const first = first_prompt_usage({head_.data(), begun});
  if (first.prompt) found.prompt = first.prompt;
  found.cached = std::max(found.cached, first.cached);
  return found;
}

Usage UsageScanner::usage_at_end() const {
  auto const kept = static_cast<std::size_t>(std::min<std::uint64_t>(total_, kTail));
  auto const near = std::min(kept, kNear);
  if (auto const found = last_usage_of(near); near == kept || done_ || found.prompt || found.completion) return found;
  return last_usage_of(kept);
}

/// Searches the last `size` bytes (at most kTail).
Usage UsageScanner::last_usage_of(std::size_t size) const {
  auto const start = static_cast<std::size_t>((total_ - size) % kTail);
  if (start + size <= kTail) return last_usage({tail_.data() + start, size});
  std::array<char, kTail> straight;
  auto const first = kTail - start;
  std::copy_n(tail_.data() + start, first, straight.data());
  std::copy_n(tail_.data(), size - first, straight.data() + first);
  return last_usage({straight.data(), size});
}

void UsageScanner::keep_tail(std::string_view payload) noexcept {
  total_ += payload.size();
  if (payload.size() > kTail) payload.remove_prefix(payload.size() - kTail);
  auto const start = static_cast<std::size_t>((total_ - payload.size()) % kTail);
  auto const straight = std::min(payload.size(), kTail - start);
  std::copy_n(payload.data(), straight, tail_.data() + start);
  std::copy_n(payload.data() + straight, payload.size() - straight, tail_.data());
}

void UsageScanner::add_to_line(std::string_view part) noexcept {
  if (line_size_ < kLineHead) {
    std::copy_n(part.data(), std::min(part.size(), kLineHead - line_size_), line_.data() + line_size_);
  }
  line_size_ += part.size();
}

void UsageScanner::end_line() noexcept {
  std::string_view line(line_.data(), std::min(line_size_, kLineHead));
  line_size_ = 0;
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) {
    events_ += has_data_ ? 1 : 0;
    in_frame_ = has_data_ = false;
    return;
  }
  in_frame_ = true;
  if (!line.starts_with("data:")) return;
  line.remove_prefix(line.starts_with("data: ") ? 6 : 5);
  auto const is_done = line == "[DONE]";
  done_ = done_ || is_done;
  has_data_ = has_data_ || !is_done;
}

}  // namespace kvgate::openai
