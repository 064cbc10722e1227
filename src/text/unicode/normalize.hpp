// NFC, NFD, NFKC and NFKD as HuggingFace `tokenizers` has them (Unicode 10 or so, see normal_data.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode/normal.hpp"

namespace kvgate::text {

enum class UnicodeForm { nfc, nfd, nfkc, nfkd };

/// Where each code point of the new text comes from: 0 replaces one of the old text, 1 is put in, -n replaces one and
/// the n after it. The library counts so, and where it miscounts (reordered marks) this does too.
using Change = std::int32_t;

/// Normalizes text piece by piece: only around code points that the form may change. One thread at a time.
class FormNormalizer {
 public:
  /// Whether `text` (valid UTF-8) is in the form for sure: one look at each code point.
  static bool is_inert(UnicodeForm form, std::string_view text) noexcept;

  /// Appends `text` in that form to `out`; `changes` gets an entry for each code point of it, if it is not null.
  void append(UnicodeForm form, std::string_view text, std::string& out, std::vector<Change>* changes);

 private:
  struct Item {
    char32_t c;
    Change change;
    std::uint8_t combining;
  };

  void decompose(std::string_view text, bool compatible);
  void push(char32_t c, bool first);
  void order();
  void compose();
  void put(Item const& item);

  NormalTables const& tables_ = NormalTables::get();
  std::vector<Item> items_;
  std::vector<Item> waiting_;  ///< marks that stay behind the starter they might have joined
  std::string* out_ = nullptr;
  std::vector<Change>* changes_ = nullptr;
};

}  // namespace kvgate::text
