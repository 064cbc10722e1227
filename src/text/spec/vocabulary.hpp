// The tokens of a model and their ids: one block of bytes and one hash table, about 20 bytes a token beside its text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvgate::text {

/// Token to id. Built once, then immutable and safe to share between threads.
class Vocabulary {
 public:
  struct Entry {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
    std::uint32_t id = 0;
  };

  /// Room for so many tokens; insert() works without it, but then the table grows in steps.
  void reserve(std::size_t tokens);

  /// A token that is there already gets the new id. False: the bytes of all tokens pass 4 GiB, nothing was added.
  bool insert(std::string_view token, std::uint32_t id);

  std::optional<std::uint32_t> find(std::string_view token) const noexcept;

  /// Each token once, in the order of first insertion. Valid until the next insert().
  std::span<Entry const> entries() const noexcept { return entries_; }
  std::string_view text(Entry const& entry) const noexcept { return {bytes_.data() + entry.offset, entry.length}; }

  std::size_t size() const noexcept { return entries_.size(); }
  std::size_t memory() const noexcept;  ///< bytes
  void shrink();                        ///< gives back what was reserved and is not used

 private:
  struct Slot {
    std::uint32_t tag = 0;    ///< bits of the hash: what differs is seen without a look at the token
    std::uint32_t place = 0;  ///< index into entries_ plus one; 0: free
  };

  std::size_t slot_of(std::string_view token, std::uint64_t hash) const noexcept;
  void grow(std::size_t slots);

  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  ///< a power of two, at most 2/3 full
};

}  // namespace kvgate::text
