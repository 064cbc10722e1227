#include "text/jinja/runtime.hpp"

#include <algorithm>

namespace kvgate::jinja {

std::span<Value const> Runtime::keep(std::span<Value const> items) {
  check_size(items.size_bytes());
  Value* copy = arena.allocate_array<Value>(items.size());
  std::copy(items.begin(), items.end(), copy);
  return {copy, items.size()};
}

bool Runtime::is_ascii(std::string_view text) {
  if (text.data() == ascii_text_.data() && text.size() == ascii_text_.size() && !text.empty()) return ascii_;
  spend_bytes(text.size());
  bool const ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (text.size() > 64) {
    ascii_text_ = text;
    ascii_ = ascii;
  }
  return ascii;
}

void TextBuilder::repeat(std::string_view text, std::int64_t count) {
  if (count <= 0 || text.empty()) return;
  if (static_cast<std::uint64_t>(count) > (std::uint64_t{1} << 40)) runtime_.check_size(Arena::unlimited);
  runtime_.check_size(out_.size() + text.size() * static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) out_ += text;
}

}  // namespace kvgate::jinja
