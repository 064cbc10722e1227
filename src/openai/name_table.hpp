// Names that are known when the program is built, found by length first: a stranger costs a compare or two.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kvgate::openai {

/// `Row` has a `name`, none empty or the same as another. At most 255 rows, no name
/// over 32 bytes. Immutable; made at compile time.
template <class Row, std::size_t Count>
class NameTable {
 public:
  consteval explicit NameTable(std::array<Row, Count> rows) : rows_(rows) {
    std::sort(rows_.begin(), rows_.end(), [](auto const& a, auto const& b) { return a.name.size() < b.name.size(); });
    for (auto const& row : rows_) {
      if (row.name.empty() || row.name.size() > kLongest) throw "a name that cannot be found";
      for (auto length = row.name.size() + 1; length < starts_.size(); ++length) ++starts_[length];
    }
  }

  /// nullptr: there is none of that name.
  constexpr Row const* find(std::string_view name) const noexcept {
    if (name.empty() || name.size() + 1 >= starts_.size()) return nullptr;
    for (std::size_t i = starts_[name.size()]; i < starts_[name.size() + 1]; ++i) {
      if (rows_[i].name.front() == name.front() && rows_[i].name == name) return &rows_[i];
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t kLongest = 32;

  std::array<Row, Count> rows_;
  std::array<std::uint8_t, kLongest + 2> starts_{};  // starts_[n]: how many names are shorter than n
};

}  // namespace kvgate::openai
