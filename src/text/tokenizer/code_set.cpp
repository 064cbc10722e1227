#include "text/tokenizer/code_set.hpp"

#include <algorithm>
#include <charconv>

namespace kvgate::text {
namespace {

constexpr char32_t kLast = 0x10ffff;
constexpr char32_t kBeforeSurrogates = 0xd7ff, kAfterSurrogates = 0xe000;

void append_hex(std::string& out, char32_t c) {
  char digits[8];
  auto const end = std::to_chars(digits, digits + sizeof digits, static_cast<unsigned>(c), 16).ptr;
  out.append("\\x{").append(digits, end).append("}");
}

void append_range(std::string& out, char32_t first, char32_t last) {
  if (first > last) return;
  append_hex(out, first);
  if (last == first) return;
  out += '-';
  append_hex(out, last);
}

}  // namespace

CodeSet::CodeSet(std::vector<CodeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](CodeRange const& a, CodeRange const& b) { return a.first < b.first; });
  for (CodeRange const& range : ranges) {
    if (!ranges_.empty() && range.first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, range.last);
    } else {
      ranges_.push_back(range);
    }
  }
}

void CodeSet::add(CodeSet const& other) {
  std::vector<CodeRange> all = ranges_;
  all.insert(all.end(), other.ranges_.begin(), other.ranges_.end());
  *this = CodeSet(std::move(all));
}

CodeSet CodeSet::inverted() const {
  CodeSet result;
  char32_t next = 0;
  for (CodeRange const& range : ranges_) {
    if (range.first > next) result.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLast) result.ranges_.push_back({next, kLast});
  return result;
}

CodeSet CodeSet::common_with(CodeSet const& other) const {
  CodeSet either = inverted();
  either.add(other.inverted());
  return either.inverted();
}

std::string CodeSet::to_pcre() const {
  std::string out = "[";
  for (CodeRange const& range : ranges_) {  // surrogates are in no text, and PCRE2 does not take them
    append_range(out, range.first, std::min(range.last, kBeforeSurrogates));
    append_range(out, std::max(range.first, kAfterSurrogates), range.last);
  }
  return out == "[" ? "(?!)" : out + "]";
}

}  // namespace kvgate::text
