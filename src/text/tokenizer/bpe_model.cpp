// Byte pair encoding as its definition says, for every variant: the pipelines that have a faster way are measured
// against this one.
#include <algorithm>
#include <array>

#include "text/tokenizer/merge_map.hpp"
#include "text/tokenizer/model.hpp"
#include "text/unicode/code_point.hpp"

namespace kvgate::text {
namespace {

struct Symbol {
  std::uint32_t id = 0;
  std::int32_t previous = -1;
  std::int32_t next = -1;
  bool gone = false;  ///< merged into the one before it
};

struct Candidate {
  std::uint32_t rank = 0;
  std::uint32_t at = 0;
  std::uint32_t merged = 0;
  std::uint32_t left = 0;  ///< what stood there when it was found
  std::uint32_t right = 0;

  /// Of a heap whose top is the lowest rank, the leftmost if equal.
  bool operator<(Candidate const& other) const noexcept {
    return rank != other.rank ? rank > other.rank : at > other.at;
  }
};

struct BpeScratch final : ModelScratch {
  std::vector<Symbol> symbols;
  std::vector<Candidate> heap;
  std::string token;
};

class BpeModel final : public Model {
 public:
  explicit BpeModel(ModelSpec&& spec) : merges_(spec.merges), spec_(std::move(spec)) {
    spec_.merges = {};
    if (spec_.unk_token) unk_ = spec_.vocabulary.find(*spec_.unk_token);
    for (unsigned byte = 0; byte < 256; ++byte) bytes_[byte] = spec_.vocabulary.find(byte_token(byte));
  }

  std::unique_ptr<ModelScratch> make_scratch() const override { return std::make_unique<BpeScratch>(); }

  bool encode(std::string_view text, ModelScratch& base, std::vector<std::uint32_t>& out) const override {
    auto& scratch = static_cast<BpeScratch&>(base);
    if (spec_.ignore_merges) {
      if (auto const id = spec_.vocabulary.find(text)) return out.push_back(*id), true;
    }
    if (!split(text, scratch)) return false;
    merge(scratch);
    for (Symbol const& symbol : scratch.symbols) {
      if (!symbol.gone) out.push_back(symbol.id);
    }
    return true;
  }

  std::size_t memory() const noexcept override { return spec_.vocabulary.memory() + merges_.memory(); }

 private:
  static std::string byte_token(unsigned byte) {
    constexpr char const* kDigits = "0123456789ABCDEF";
    return std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ">";
  }

  /// The text as symbols, one for each code point or byte.
  bool split(std::string_view text, BpeScratch& scratch) const {
    scratch.symbols.clear();
    bool unk_waits = false;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t const end = at + sequence_length(text[at]);
      token_of(text.substr(at, end - at), at == 0, end == text.size(), scratch.token);
      at = end;
      if (auto const id = spec_.vocabulary.find(scratch.token)) {
        if (unk_waits) add(*unk_, scratch);
        unk_waits = false;
        add(*id, scratch);
      } else if (spec_.byte_fallback && has_bytes(scratch.token)) {
        // What is unknown before these bytes comes out behind them, in the library too.
        for (char byte : scratch.token) add(*bytes_[static_cast<unsigned char>(byte)], scratch);
      } else if (spec_.unk_token) {
        if (!unk_) return false;
        if (unk_waits && !spec_.fuse_unk) add(*unk_, scratch);
        unk_waits = true;
      }
    }
    if (unk_waits) add(*unk_, scratch);
    return true;
  }

  void token_of(std::string_view c, bool is_first, bool is_last, std::string& token) const {
    token.clear();
    if (!is_first) token += spec_.continuing_subword_prefix;
    token += c;
    if (is_last) token += spec_.end_of_word_suffix;
  }

  bool has_bytes(std::string_view token) const noexcept {
    return std::all_of(token.begin(), token.end(),
                       [&](char byte) { return bytes_[static_cast<unsigned char>(byte)].has_value(); });
  }

  static void add(std::uint32_t id, BpeScratch& scratch) {
    auto const index = static_cast<std::int32_t>(scratch.symbols.size());
    if (index > 0) scratch.symbols.back().next = index;
    scratch.symbols.push_back({id, index - 1, -1, false});
  }

  void merge(BpeScratch& scratch) const {
    scratch.heap.clear();
    for (std::size_t i = 0; i + 1 < scratch.symbols.size(); ++i) consider(i, scratch);
    std::make_heap(scratch.heap.begin(), scratch.heap.end());
    while (!scratch.heap.empty()) {
      std::pop_heap(scratch.heap.begin(), scratch.heap.end());
      Candidate const top = scratch.heap.back();
      scratch.heap.pop_back();
      if (!still_holds(top, scratch)) continue;
      join(top, scratch);
    }
  }

  void consider(std::size_t left, BpeScratch& scratch) const {
    Symbol const& symbol = scratch.symbols[left];
    if (symbol.next < 0) return;
    std::uint32_t const right = scratch.symbols[static_cast<std::size_t>(symbol.next)].id;
    auto const* const rule = merges_.find(symbol.id, right);
    if (rule) scratch.heap.push_back({rule->rank, static_cast<std::uint32_t>(left), rule->merged, symbol.id, right});
  }

  bool still_holds(Candidate const& candidate, BpeScratch const& scratch) const noexcept {
    Symbol const& left = scratch.symbols[candidate.at];
    if (left.gone || left.next < 0) return false;
    std::uint32_t const right = scratch.symbols[static_cast<std::size_t>(left.next)].id;
    if (left.id == candidate.left && right == candidate.right) return true;
    // Another pair may have come there that becomes the same token: as good, at the rank of the first.
    auto const* const rule = merges_.find(left.id, right);
    return rule && rule->merged == candidate.merged;
  }

  void join(Candidate const& candidate, BpeScratch& scratch) const {
    Symbol& left = scratch.symbols[candidate.at];
    Symbol& right = scratch.symbols[static_cast<std::size_t>(left.next)];
    left.id = candidate.merged;
    left.next = right.next;
    right.gone = true;
    if (right.next >= 0)
      scratch.symbols[static_cast<std::size_t>(right.next)].previous = static_cast<std::int32_t>(candidate.at);
    if (left.previous >= 0) push(static_cast<std::size_t>(left.previous), scratch);
    push(candidate.at, scratch);
  }

  void push(std::size_t left, BpeScratch& scratch) const {
    std::size_t const size = scratch.heap.size();
    consider(left, scratch);
    if (scratch.heap.size() > size) std::push_heap(scratch.heap.begin(), scratch.heap.end());
  }

  MergeMap merges_;
  ModelSpec spec_;
  std::optional<std::uint32_t> unk_;
  std::array<std::optional<std::uint32_t>, 256> bytes_;
};

}  // namespace

std::unique_ptr<Model const> make_bpe_model(ModelSpec&& spec) {
  return std::make_unique<BpeModel const>(std::move(spec));
}

}  // namespace kvgate::text
