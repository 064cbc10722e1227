// Text that a step has written, with the origin of each byte where the pipeline is tracked.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer/arena.hpp"
#include "text/tokenizer/piece.hpp"
#include "text/unicode/code_point.hpp"
#include "text/unicode/normalize.hpp"

namespace kvgate::text {

/// Written into again and again; its memory stays.
class Rewritten {
 public:
  std::string text;
  std::vector<std::uint32_t> origins;  ///< one for each byte of text, if tracked
  bool tracked = false;
  /// Something was put in before everything without replacing anything. The library then loses count: what it does next
  /// to single characters fails, or goes wrong.
  bool loose = false;

  void clear() noexcept {
    text.clear();
    origins.clear();
    loose = false;
  }

  /// A code point that comes from there.
  void put(char32_t c, std::uint32_t origin) {
    append_utf8(text, c);
    if (tracked) origins.resize(text.size(), origin);
  }

  /// A text all of which comes from there.
  void put(std::string_view added, std::uint32_t origin) {
    text.append(added);
    if (tracked) origins.resize(text.size(), origin);
  }

  /// A part of `piece` as it stands.
  void copy(Piece const& piece, std::size_t begin, std::size_t end) {
    text.append(piece.text.substr(begin, end - begin));
    if (tracked) origins.insert(origins.end(), piece.origins + begin, piece.origins + end);
  }

  /// Fills `origins` for a `text` that `changes` made from `piece`, as the library reckons it.
  void align(Piece const& piece, std::span<Change const> changes);
};

/// Where rewriting steps put what they write. Origins are kept up only where a pipeline asks for them: Metaspace
/// "first" looks at where a piece begins in the caller's text, and the normalizers before it move that.
class RewriteSpace {
 public:
  bool tracked = false;

  Piece store(Rewritten const& written, std::uint32_t shift) {
    Piece piece;
    piece.shift = shift;
    piece.loose = written.loose;
    char* const bytes = bytes_.allocate(written.text.size());
    std::copy(written.text.begin(), written.text.end(), bytes);
    piece.text = {bytes, written.text.size()};
    if (tracked) {
      std::uint32_t* const kept = origins_.allocate(written.origins.size());
      std::copy(written.origins.begin(), written.origins.end(), kept);
      piece.origins = kept;
    }
    return piece;
  }

  void reset() {
    bytes_.reset();
    origins_.reset();
  }

 private:
  Arena<char> bytes_;
  Arena<std::uint32_t> origins_;
};

/// The origin of the byte at `at`; of any piece, if it is not tracked, nobody asks.
inline std::uint32_t origin_at(Piece const& piece, std::size_t at) noexcept {
  return piece.origins ? piece.origins[at] : 0;
}

}  // namespace kvgate::text
