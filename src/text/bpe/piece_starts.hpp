// Where the pieces of the known split patterns begin, for all of an AsciiWindow at once. The scanners beside it tell the
// same one piece after the other; they are the measure of this, and take over where it does not reach.
#pragma once

#include <algorithm>

#include "text/bpe/ascii_readers.hpp"
#include "text/bpe/ascii_window.hpp"
#include "text/bpe/scan_common.hpp"
#include "text/bpe/split_traits.hpp"

namespace kvgate::text::bpe {

template <SplitTraits traits>
class PieceStarts {
 public:
  /// `p` < `end` begins a piece. The result are positions from `p` on, of which 0 is not one; pieces end at all of them.
  static Positions find(char const* p, char const* end) noexcept {
    char padded[AsciiWindow::kBytes];
    return find_(p, end, end - p < static_cast<std::ptrdiff_t>(sizeof padded) ? pad(p, end, padded) : p);
  }

 private:
  using Contractions = SplitTraits::Contractions;
  using Find = Positions (*)(char const* p, char const* end, char const* bytes);

  static char const* pad(char const* p, char const* end, char (&padded)[AsciiWindow::kBytes]) noexcept {
    std::memset(padded, -1, sizeof padded);
    std::memcpy(padded, p, static_cast<std::size_t>(end - p));
    return padded;
  }

  static Positions find_plain(char const* p, char const* end, char const* bytes) noexcept {
    PieceStarts starts(p, end);
    starts.w_.size = std::min(read_window(bytes, starts.w_), AsciiWindow::kBytes - 1);
    return starts.find();
  }

#if defined(__x86_64__)
  [[gnu::target("avx512bw")]] static Positions find_avx512(char const* p, char const* end, char const* bytes) noexcept {
    PieceStarts starts(p, end);
    starts.w_.size = std::min(simd::read_avx512(bytes, starts.w_), AsciiWindow::kBytes - 1);
    return starts.find();
  }
  static inline Find const find_ = __builtin_cpu_supports("avx512bw") ? find_avx512 : find_plain;
#else
  static constexpr Find find_ = find_plain;
#endif

  PieceStarts(char const* p, char const* end) noexcept : p_(p), end_(end) {}

  [[gnu::always_inline]] Positions find() noexcept {
    if (w_.size < 3) return 0;
    auto known = AsciiWindow::below(w_.size - 1);  // what begins where depends on the next byte
    if (traits.numbers_apart && w_.controls != 0) known &= lowest(w_.controls) - 1;
    auto symbols = w_.symbols();
    Positions taken = 0;  // line breaks that belong to the symbols before
    if constexpr (traits.newlines) {
      auto const tail = w_.newlines | (traits.slashes ? w_.slashes : 0);
      taken = flood(tail, w_.newlines & behind(symbols));
      symbols &= ~taken;
    }
    auto starts = space_starts(taken, known) | number_starts();
    auto const symbol_starts = symbols & ~behind(symbols) & ~behind(w_.blanks);
    auto const joined = traits.leads ? (w_.spaces & ~w_.newlines) | symbol_starts : w_.blanks;
    starts |= symbol_starts | (w_.letters & ~behind(w_.letters | joined));
    if constexpr (traits.cases) starts |= w_.letters & ~w_.lower & behind(w_.lower);
    if constexpr (traits.contractions != Contractions::none) contract(starts, symbol_starts);
    return starts & known & ~Positions{1};
  }

  static Positions lowest(Positions set) noexcept { return set & -set; }

  [[gnu::always_inline]] Positions number_starts() const noexcept {
    auto const first = w_.numbers & ~behind(w_.numbers);
    if constexpr (traits.digits == 0) return first & ~behind(w_.blanks);
    if constexpr (traits.digits == 1) return w_.numbers;
    Positions out = 0;
    auto const full = w_.numbers & behind(w_.numbers) & behind(behind(w_.numbers));
    for (auto next = first; next != 0; next = next << 3 & full) out |= next;
    return out;
  }

  /// May take from `known` what depends on bytes behind the window.
  [[gnu::always_inline]] Positions space_starts(Positions taken, Positions& known) const noexcept {
    auto const spaces = w_.spaces & ~taken;
    auto last = w_.spaces & ~before(w_.spaces);
    if constexpr (traits.numbers_apart) last &= ~before(w_.numbers);
    auto const first = spaces & ~behind(spaces);
    if constexpr (!traits.newlines) return first | last;
    // Behind the last line break of a run: only if what follows it in the run is followed by something else.
    auto const inner = w_.spaces & ~w_.newlines & AsciiWindow::below(w_.size);
    auto const after_break = inner & behind(w_.newlines & ~taken);
    auto const run_ends = (inner + after_break) & ~inner;
    if (run_ends & (w_.newlines | ~AsciiWindow::below(w_.size))) known &= lowest(after_break) - 1;
    return first | after_break | (last & inner);
  }

  void contract(Positions& starts, Positions symbol_starts) const noexcept {
    auto const eligible = traits.contractions == Contractions::suffix ? behind(w_.letters) : symbol_starts;
    for (auto left = w_.apostrophes & eligible & before(w_.letters); left != 0; left &= left - 1) {
      auto const at = static_cast<unsigned>(std::countr_zero(left));
      auto const length = contraction_at(p_ + at);
      if (length == 0) continue;
      auto const inside = Positions{(1U << length) - 1} << at;
      auto const next = Positions{1} << at << length;
      starts = (starts & ~inside) | (next & w_.letters);
      if constexpr (traits.contractions == Contractions::suffix)
        left &= ~next;  // a word has one
      else
        starts |= Positions{1} << at;
    }
  }

  int contraction_at(char const* p) const noexcept {
    if constexpr (traits.contractions == Contractions::lower_piece) return lower_contraction({p, static_cast<std::size_t>(end_ - p)});
    return contraction(p, end_);
  }

  AsciiWindow w_;
  char const* p_;
  char const* end_;
};

}  // namespace kvgate::text::bpe
