#include "text/tokenizer/added_tokens.hpp"

#include <algorithm>
#include <unordered_set>

#include "text/unicode/code_point.hpp"
#include "text/unicode/normal.hpp"

namespace kvgate::text {
namespace {

using Token = AddedTokens::Token;

/// Gives ids as the library does when it reads a file.
class Numbering {
 public:
  explicit Numbering(ModelSpec const& model)
      : model_(model), next_(static_cast<std::uint32_t>(model.vocabulary_size)) {}

  void add(AddedTokenSpec const& spec) {
    if (spec.content.empty()) return;
    std::uint32_t const id = id_of(spec.content);
    auto const [place, is_new] = by_id_.emplace(id, tokens_.size());
    if (is_new) tokens_.emplace_back();
    tokens_[place->second] = {spec.content,    id,          spec.single_word, spec.lstrip, spec.rstrip,
                              spec.normalized, spec.special};
  }

  std::vector<Token> take() { return std::move(tokens_); }

 private:
  std::uint32_t id_of(std::string const& content) {
    auto const known = ids_.find(content);
    if (known != ids_.end()) return known->second;
    auto const in_model = model_.vocabulary.find(content);
    std::uint32_t const id = in_model ? *in_model : next_++;
    ids_.emplace(content, id);
    return id;
  }

  ModelSpec const& model_;
  std::uint32_t next_;
  std::vector<Token> tokens_;
  std::unordered_map<std::uint32_t, std::size_t> by_id_;
  std::unordered_map<std::string, std::uint32_t> ids_;
};

using Entries = std::vector<std::pair<std::string, std::uint32_t>>;

Error unusable(std::string_view what, Token const& token) {
  return Error(ErrorKind::bad_request, "added_tokens: " + std::string(what) + ": " + token.content);
}

/// The library's automaton takes neither an empty pattern nor the same one twice.
Result<void> add_entry(Entries& entries, std::unordered_map<std::string, int>& seen, std::string pattern,
                       std::size_t index, Token const& token) {
  if (pattern.empty()) return unusable("nothing is left of a token when it is normalized", token);
  if (!seen.emplace(pattern, 0).second) return unusable("two tokens become the same when they are normalized", token);
  entries.emplace_back(std::move(pattern), static_cast<std::uint32_t>(index));
  return {};
}

bool is(std::string_view text, std::size_t at, std::uint16_t facts) noexcept {
  return NormalTables::get().is(first_code_point(text.substr(at)), facts);
}

std::size_t spaces_begin(std::string_view text, std::size_t end) noexcept {
  while (end > 0) {
    std::size_t const last = last_start(text.substr(0, end));
    if (!is(text, last, kWhiteSpace)) break;
    end = last;
  }
  return end;
}

std::size_t spaces_end(std::string_view text, std::size_t begin) noexcept {
  while (begin < text.size() && is(text, begin, kWhiteSpace)) begin += sequence_length(text[begin]);
  return begin;
}

/// Marks tokens that stand in each other, or that one begins with what another ends with.
class Overlaps {
 public:
  explicit Overlaps(std::vector<Token> const& tokens) {
    for (Token const& token : tokens) {
      if (!token.normalized) sorted_.push_back(&token);
    }
    std::sort(sorted_.begin(), sorted_.end(), [](auto* a, auto* b) { return a->content < b->content; });
    for (Token const* token : sorted_) mark_around(*token);
  }

  bool has(Token const& token) const { return marked_.contains(&token); }

 private:
  void mark_around(Token const& token) {
    std::string_view const text = token.content;
    for (std::size_t begin = 0; begin < text.size(); ++begin) mark_prefixed(token, text.substr(begin));
    for (std::size_t begin = 0; begin < text.size(); ++begin) mark_inside(token, text.substr(begin));
  }

  /// Tokens that begin with this end of a token.
  void mark_prefixed(Token const& token, std::string_view end) {
    auto at = std::lower_bound(sorted_.begin(), sorted_.end(), end,
                               [](Token const* other, std::string_view wanted) { return other->content < wanted; });
    for (; at != sorted_.end() && (*at)->content.starts_with(end); ++at) mark(token, **at);
  }

  /// Tokens that `rest` begins with: walking down, each is no longer than what the next has in common with it.
  void mark_inside(Token const& token, std::string_view rest) {
    while (!rest.empty()) {
      auto const after = std::upper_bound(sorted_.begin(), sorted_.end(), rest,
                                          [](std::string_view wanted, Token const* o) { return wanted < o->content; });
      if (after == sorted_.begin()) return;
      Token const& below = **std::prev(after);
      if (rest.starts_with(below.content)) mark(token, below);
      auto const differ = std::mismatch(rest.begin(), rest.end(), below.content.begin(), below.content.end());
      auto const common = static_cast<std::size_t>(differ.first - rest.begin());
      rest = rest.substr(0, common == rest.size() ? common - 1 : common);
    }
  }

  void mark(Token const& token, Token const& other) {
    if (&token == &other) return;
    marked_.insert(&token);
    marked_.insert(&other);
  }

  std::vector<Token const*> sorted_;
  std::unordered_set<Token const*> marked_;
};

}  // namespace

Result<AddedTokens> AddedTokens::make(std::vector<AddedTokenSpec> const& specs, ModelSpec const& model,
                                      std::function<Result<std::string>(std::string_view)> const& normalize) {
  Numbering numbering(model);
  for (AddedTokenSpec const& spec : specs) numbering.add(spec);
  AddedTokens added;
  added.tokens_ = numbering.take();
  Entries raw, normalized;
  std::unordered_map<std::string, int> seen_raw, seen_normalized;
  for (std::size_t i = 0; i < added.tokens_.size(); ++i) {
    Token const& token = added.tokens_[i];
    auto pattern = token.normalized ? normalize(token.content) : Result<std::string>(token.content);
    if (pattern.has_error()) return pattern.error();
    auto const done = token.normalized ? add_entry(normalized, seen_normalized, std::move(*pattern), i, token)
                                       : add_entry(raw, seen_raw, std::move(*pattern), i, token);
    if (done.has_error()) return done.error();
  }
  added.raw_ = TokenTrie(std::move(raw));
  added.normalized_ = TokenTrie(std::move(normalized));
  return added;
}

std::vector<Token const*> AddedTokens::exact_cuts() const {
  Overlaps const overlaps(tokens_);
  bool const looks_back =
      std::any_of(tokens_.begin(), tokens_.end(), [](Token const& t) { return t.single_word && !t.normalized; });
  std::vector<Token const*> cuts;
  for (Token const& token : tokens_) {
    bool const plain = token.special && !token.normalized && !token.lstrip && !token.rstrip && !token.single_word;
    bool const ends_word = is(token.content, last_start(token.content), kRegexWord);
    if (plain && !(looks_back && ends_word) && !overlaps.has(token)) cuts.push_back(&token);
  }
  return cuts;
}

bool AddedTokens::stands_alone(std::string_view text, TokenTrie::Match const& match) const noexcept {
  bool const left = match.begin == 0 || !is(text, last_start(text.substr(0, match.begin)), kRegexWord);
  bool const right = match.end == text.size() || !is(text, match.end, kRegexWord);
  return left && right;
}

bool AddedTokens::split(Piece const& piece, TokenTrie const& trie, std::vector<Piece>& out) const {
  std::string_view const text = piece.text;
  std::size_t done = 0;
  std::size_t from = 0;
  while (auto const match = trie.find(text, from)) {
    from = match->end;
    Token const& token = tokens_[match->value];
    if (token.single_word && !stands_alone(text, *match)) continue;
    // White space belongs to the token that comes first. It may reach over the next token, which counts all the same.
    std::size_t const begin = token.lstrip ? std::max(spaces_begin(text, match->begin), done) : match->begin;
    std::size_t const end = token.rstrip ? spaces_end(text, match->end) : match->end;
    if (begin > end) return false;
    if (done < begin) out.push_back(piece.part(done, begin));
    done = end;
    if (begin == end) continue;  // nothing is left of it: the library drops it
    out.push_back(piece.part(begin, end));
    out.back().token = token.id;
  }
  if (done < text.size()) out.push_back(piece.part(done, text.size()));
  return true;
}

}  // namespace kvgate::text
