// Words of any length and their ids, by the bytes of the word.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace kvgate::text::bpe {

std::uint64_t hash_of(std::string_view word) noexcept;

/// Grows with what is put in. Not thread-safe while it is written to.
class LongWords {
 public:
  void prefetch(std::uint64_t hash) const noexcept {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }

  /// The ids of the word, empty if it is not there. Valid until the next insert() or clear().
  std::span<std::uint32_t const> find(std::string_view word, std::uint64_t hash) const noexcept;

  /// A word that is not there yet. False: too many words share its place (somebody chose them so), it is not kept.
  bool insert(std::string_view word, std::uint64_t hash, std::span<std::uint32_t const> ids);

  /// Forgets everything and keeps the memory.
  void clear() noexcept;

  std::size_t memory() const noexcept;  ///< bytes that its content needs
  void shrink();

 private:
  static constexpr int kProbes = 32;

  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t at = 0;  ///< of the record, plus one; 0: free
  };
  /// At `at`: the length of the word, the number of ids, the ids, the bytes.
  std::string_view text(std::uint32_t at) const noexcept;
  void grow();

  std::vector<std::uint32_t> records_;
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
};

}  // namespace kvgate::text::bpe
