// What the known split patterns differ in, as far as ASCII goes.
#pragma once

namespace kvgate::text::bpe {

struct SplitTraits {
  enum class Contractions { none, piece, lower_piece, suffix };

  unsigned digits = 1;         ///< numbers in a piece; 0: any number, and a blank before them belongs to it
  bool leads = true;           ///< [^\r\n\p{L}\p{N}]? before a word, not just ' ?'
  bool newlines = true;        ///< \s*[\r\n]+, and [\r\n]* behind symbols
  bool slashes = false;        ///< ... [\r\n/]* there
  bool cases = false;          ///< a word ends where upper case follows lower case
  bool numbers_apart = false;  ///< what comes before a number is split as if the text ended there
  Contractions contractions = Contractions::none;
};

}  // namespace kvgate::text::bpe
