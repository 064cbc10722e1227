#include "text/unicode/normalize.hpp"

#include <algorithm>
#include <cstring>

#include "text/unicode/code_point.hpp"
#include "text/unicode/hangul.hpp"

namespace kvgate::text {
namespace {

constexpr std::uint16_t stirs(UnicodeForm form) noexcept {
  switch (form) {
    case UnicodeForm::nfc:
      return kStirsNfc;
    case UnicodeForm::nfd:
      return kStirsNfd;
    case UnicodeForm::nfkc:
      return kStirsNfkc;
    default:
      return kStirsNfkd;
  }
}

constexpr bool composes(UnicodeForm form) noexcept {
  return form == UnicodeForm::nfc || form == UnicodeForm::nfkc;
}
constexpr bool compatible(UnicodeForm form) noexcept {
  return form == UnicodeForm::nfkc || form == UnicodeForm::nfkd;
}

/// Over ASCII, which no form changes, in steps of eight.
char const* skip_ascii(char const* at, char const* end) noexcept {
  for (std::uint64_t bytes = 0; end - at >= static_cast<std::ptrdiff_t>(sizeof bytes); at += sizeof bytes) {
    std::memcpy(&bytes, at, sizeof bytes);
    if (bytes & 0x8080808080808080u) break;
  }
  return at;
}

/// The first code point from `at` on whose answer to `stirs` is `wanted`, or `end`.
char const* find_stir(NormalTables const& tables, char const* at, char const* end, std::uint16_t bit, bool wanted) {
  while (at < end) {
    if (wanted && *at >= 0) at = skip_ascii(at, end);
    if (at == end) break;
    char const* next = at;
    if (tables.is(next_code_point(next), bit) == wanted) return at;
    at = next;
  }
  return end;
}

}  // namespace

bool FormNormalizer::is_inert(UnicodeForm form, std::string_view text) noexcept {
  char const* const end = text.data() + text.size();
  return find_stir(NormalTables::get(), text.data(), end, stirs(form), true) == end;
}

void FormNormalizer::append(UnicodeForm form, std::string_view text, std::string& out, std::vector<Change>* changes) {
  out_ = &out;
  changes_ = changes;
  std::uint16_t const bit = stirs(form);
  char const* const end = text.data() + text.size();
  char const* done = text.data();
  while (done < end) {
    char const* begin = find_stir(tables_, done, end, bit, true);
    // A mark joins the starter before it.
    if (begin < end && begin > done && composes(form)) begin = done + last_start({done, std::size_t(begin - done)});
    std::string_view const inert(done, static_cast<std::size_t>(begin - done));
    out.append(inert);
    if (changes) {
      auto const count =
          inert.size() - static_cast<std::size_t>(std::count_if(inert.begin(), inert.end(), is_continuation));
      changes->insert(changes->end(), count, 0);
    }
    if (begin == end) return;
    char const* after = begin;
    next_code_point(after);
    if (!tables_.is(first_code_point({begin, 4}), bit)) next_code_point(after);
    done = find_stir(tables_, after, end, bit, false);
    decompose({begin, static_cast<std::size_t>(done - begin)}, compatible(form));
    order();
    if (composes(form)) {
      compose();
    } else {
      for (Item const& item : items_) put(item);
    }
  }
}

void FormNormalizer::decompose(std::string_view text, bool compatible) {
  items_.clear();
  char const* at = text.data();
  while (at < text.data() + text.size()) {
    char32_t const c = next_code_point(at);
    bool first = true;
    auto const part = [&](char32_t piece) {
      push(piece, first);
      first = false;
    };
    if (hangul::is_syllable(c)) {
      hangul::decompose(c, part);
    } else if (auto const parts = tables_.decomposition(c, compatible); !parts.empty()) {
      std::for_each(parts.begin(), parts.end(), part);
    } else {
      part(c);
    }
  }
}

void FormNormalizer::push(char32_t c, bool first) {
  items_.push_back({c, first ? 0 : 1, tables_.combining_class(c)});
}

void FormNormalizer::order() {
  auto const is_starter = [](Item const& item) { return item.combining == 0; };
  auto const earlier = [](Item const& a, Item const& b) { return a.combining < b.combining; };
  for (auto at = items_.begin(); at != items_.end();) {
    auto const end = std::find_if(at, items_.end(), is_starter);
    if (!std::is_sorted(at, end, earlier)) std::stable_sort(at, end, earlier);
    at = std::find_if_not(end, items_.end(), is_starter);
  }
}

void FormNormalizer::compose() {
  waiting_.clear();
  Item starter{};
  bool has_starter = false;
  auto const flush = [&] {
    if (has_starter) put(starter);
    for (Item const& item : waiting_) put(item);
    waiting_.clear();
  };
  for (Item const& item : items_) {
    if (!has_starter) {
      has_starter = item.combining == 0;
      if (has_starter) starter = item;
      if (!has_starter) put(item);
      continue;
    }
    bool const blocked = !waiting_.empty() && waiting_.back().combining >= item.combining;
    auto const composed = blocked ? std::nullopt : tables_.compose(starter.c, item.c);
    if (composed) {
      starter.c = *composed;
      starter.change += item.change - 1;
    } else if (item.combining == 0) {
      flush();
      starter = item;
    } else {
      waiting_.push_back(item);
    }
  }
  flush();
}

void FormNormalizer::put(Item const& item) {
  append_utf8(*out_, item.c);
  if (changes_) changes_->push_back(item.change);
}

}  // namespace kvgate::text
