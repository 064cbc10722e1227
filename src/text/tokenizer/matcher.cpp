#include "text/tokenizer/matcher.hpp"

#include "text/unicode/code_point.hpp"
#include "text/unicode/normal.hpp"

namespace kvgate::text {
namespace {

/// Adds matches, and what lies between them.
class Cover {
 public:
  Cover(std::string_view text, std::vector<Stretch>& out) : text_(text), out_(out) {}

  void match(std::size_t begin, std::size_t end) {
    if (done_ != begin) out_.push_back({done_, begin, false});
    out_.push_back({begin, end, true});
    done_ = end;
  }
  void finish() {
    if (done_ != text_.size()) out_.push_back({done_, text_.size(), false});
  }

 private:
  std::string_view text_;
  std::vector<Stretch>& out_;
  std::size_t done_ = 0;
};

class FactMatcher final : public Matcher {
 public:
  explicit FactMatcher(std::uint16_t any_of) : any_of_(any_of) {}

  bool find(std::string_view text, RegexScratch&, std::vector<Stretch>& out) const override {
    Cover cover(text, out);
    char const* at = text.data();
    while (at < text.data() + text.size()) {
      auto const begin = static_cast<std::size_t>(at - text.data());
      if (tables_.is(next_code_point(at), any_of_)) cover.match(begin, static_cast<std::size_t>(at - text.data()));
    }
    cover.finish();
    return true;
  }

 private:
  std::uint16_t any_of_;
  NormalTables const& tables_ = NormalTables::get();
};

class WordMatcher final : public Matcher {
 public:
  bool find(std::string_view text, RegexScratch&, std::vector<Stretch>& out) const override {
    Cover cover(text, out);
    std::uint16_t kind = 0;
    std::size_t begin = 0;
    char const* at = text.data();
    while (at < text.data() + text.size()) {
      auto const here = static_cast<std::size_t>(at - text.data());
      std::uint16_t const next = kind_of(next_code_point(at));
      if (next == kind) continue;
      if (kind == kRegexWord || kind == kOther) cover.match(begin, here);
      kind = next;
      begin = here;
    }
    if (kind == kRegexWord || kind == kOther) cover.match(begin, text.size());
    cover.finish();
    return true;
  }

 private:
  static constexpr std::uint16_t kOther = 1;

  std::uint16_t kind_of(char32_t c) const noexcept {
    std::uint16_t const facts = tables_.facts(c);
    if (facts & kRegexWord) return kRegexWord;
    return facts & kWhiteSpace ? std::uint16_t{kWhiteSpace} : kOther;
  }

  NormalTables const& tables_ = NormalTables::get();
};

class LiteralMatcher final : public Matcher {
 public:
  explicit LiteralMatcher(std::string literal) : literal_(std::move(literal)) {}

  bool find(std::string_view text, RegexScratch&, std::vector<Stretch>& out) const override {
    Cover cover(text, out);
    for (std::size_t at = text.find(literal_); at != std::string_view::npos; at = text.find(literal_, at)) {
      cover.match(at, at + literal_.size());
      at += literal_.size();
    }
    cover.finish();
    return true;
  }

 private:
  std::string literal_;  ///< not empty
};

class RegexMatcher final : public Matcher {
 public:
  explicit RegexMatcher(Regex regex) : regex_(std::move(regex)) {}

  /// An empty match right behind the last one is passed over.
  bool find(std::string_view text, RegexScratch& scratch, std::vector<Stretch>& out) const override {
    Cover cover(text, out);
    std::size_t from = 0;
    std::size_t last_end = std::string_view::npos;
    Regex::Match match;
    while (from <= text.size()) {
      auto const found = regex_.find(text, from, scratch, match);
      if (found == Regex::Found::too_hard) return false;
      if (found == Regex::Found::no) break;
      if (match.begin == match.end && match.end == last_end) {
        from += from < text.size() ? sequence_length(text[from]) : 1;
        continue;
      }
      cover.match(match.begin, match.end);
      from = last_end = match.end;
    }
    cover.finish();
    return true;
  }

 private:
  Regex regex_;
};

}  // namespace

std::unique_ptr<Matcher const> match_facts(std::uint16_t any_of) {
  return std::make_unique<FactMatcher const>(any_of);
}

std::unique_ptr<Matcher const> match_char(char32_t c) {
  return std::make_unique<LiteralMatcher const>(utf8_of(c));
}

std::unique_ptr<Matcher const> match_words() {
  return std::make_unique<WordMatcher const>();
}

Result<std::unique_ptr<Matcher const>> match_pattern(PatternSpec const& pattern) {
  if (!pattern.is_regex && !pattern.text.empty()) {
    return std::unique_ptr<Matcher const>(std::make_unique<LiteralMatcher const>(pattern.text));
  }
  auto regex = Regex::make(pattern.text);
  if (regex.has_error()) return Error(ErrorKind::bad_request, regex.error().message + ": " + pattern.text);
  return std::unique_ptr<Matcher const>(std::make_unique<RegexMatcher const>(std::move(*regex)));
}

}  // namespace kvgate::text
