#include "text/tokenizer/charsmap.hpp"
#include "text/tokenizer/normalizer_steps.hpp"
#include "text/unicode/grapheme.hpp"

namespace kvgate::text {
namespace {

/// A grapheme cluster of more bytes is never looked up as a whole.
constexpr std::size_t kLongestCluster = 5;

std::size_t code_points(std::string_view text) noexcept {
  std::size_t count = 0;
  for (char c : text) count += !is_continuation(c);
  return count;
}

/// Writes the text and, for a tracked one, how the library reckons where it comes from.
class Writer {
 public:
  Writer(Rewritten& out, std::vector<Change>* changes) : out_(out), changes_(changes) {}

  void keep(std::string_view text) {
    out_.text.append(text);
    if (changes_) changes_->insert(changes_->end(), code_points(text), 0);
  }

  void replace(std::string_view old_text, std::string_view new_text) {
    out_.text.append(new_text);
    changed_ = true;
    if (!changes_) return;
    auto const more = static_cast<Change>(code_points(new_text)) - static_cast<Change>(code_points(old_text));
    changes_->insert(changes_->end(), code_points(new_text), 0);
    if (more > 0) std::fill(changes_->end() - more, changes_->end(), 1);
    if (more < 0 && !changes_->empty()) changes_->back() += more;
  }

  bool changed() const noexcept { return changed_; }

 private:
  Rewritten& out_;
  std::vector<Change>* changes_;
  bool changed_ = false;
};

class PrecompiledStep final : public Normalizer {
 public:
  explicit PrecompiledStep(Charsmap map) : map_(std::move(map)) {
    for (char c = 0; c >= 0 && c < 127; ++c) plain_[static_cast<std::size_t>(c)] = !map_.replacement({&c, 1});
    plain_['\r'] = false;  // with a line feed it is one cluster
  }

  bool apply(Piece const& piece, Rewritten& out, NormalizeScratch& scratch) const override {
    scratch.changes.clear();
    Writer writer(out, out.tracked ? &scratch.changes : nullptr);
    write(piece.text, writer);
    if (writer.changed() && out.tracked) out.align(piece, scratch.changes);
    return writer.changed();
  }

 private:
  void write(std::string_view text, Writer& writer) const {
    std::size_t at = 0;
    while (at < text.size()) {
      std::size_t const plain = plain_end(text, at);
      writer.keep(text.substr(at, plain - at));
      if (plain == text.size()) return;
      std::size_t const end = clusters_end(text, plain);
      write_clusters(text.substr(plain, end - plain), writer);
      at = end;
    }
  }

  /// Up to where only characters follow that stay as they are and are clusters of their own.
  std::size_t plain_end(std::string_view text, std::size_t at) const noexcept {
    auto const is_plain = [&](std::size_t i) { return text[i] >= 0 && plain_[static_cast<std::size_t>(text[i])]; };
    std::size_t end = at;
    while (end < text.size() && is_plain(end)) ++end;
    // The last of them may be the base of a mark.
    return end < text.size() && end > at && text[end] < 0 ? end - 1 : end;
  }

  /// The next place behind `at` where a cluster certainly ends: between two ASCII characters.
  std::size_t clusters_end(std::string_view text, std::size_t at) const noexcept {
    std::size_t end = at + 1;
    while (end < text.size() && !(text[end] >= 0 && text[end - 1] >= 0 && text[end] != '\n')) ++end;
    return end;
  }

  void write_clusters(std::string_view text, Writer& writer) const {
    GraphemeBreaks breaks(tables_);
    char const* begin = text.data();
    char const* at = begin;
    while (at < text.data() + text.size()) {
      char const* const here = at;
      if (breaks.before(next_code_point(at)) && here > begin) {
        write_cluster({begin, static_cast<std::size_t>(here - begin)}, writer);
        begin = here;
      }
    }
    write_cluster({begin, static_cast<std::size_t>(at - begin)}, writer);
  }

  void write_cluster(std::string_view cluster, Writer& writer) const {
    if (cluster.size() <= kLongestCluster) {
      if (auto const whole = map_.replacement(cluster)) return writer.replace(cluster, *whole);
    }
    for (std::size_t at = 0; at < cluster.size();) {
      std::string_view const part = cluster.substr(at, sequence_length(cluster[at]));
      if (auto const text = map_.replacement(part)) {
        writer.replace(part, *text);
      } else {
        writer.keep(part);
      }
      at += part.size();
    }
  }

  Charsmap map_;
  bool plain_[128] = {};
  NormalTables const& tables_ = NormalTables::get();
};

}  // namespace

Result<std::unique_ptr<Normalizer const>> make_precompiled_normalizer(PrecompiledNormalizer const& spec) {
  auto map = Charsmap::make(spec.charsmap);
  if (map.has_error()) return map.error();
  return std::unique_ptr<Normalizer const>(std::make_unique<PrecompiledStep const>(std::move(*map)));
}

}  // namespace kvgate::text
