// Lets readers look at arrays without a lock while writers replace them: an array that was taken out of sight is freed
// once every read section that began before has ended.
#pragma once

#include <cstdint>

namespace kvgate::prefix {

/// While one lives on a thread, whatever that thread can reach stays allocated. Not to be nested; keep it to
/// microseconds, since writers hold back memory meanwhile. Costs one atomic exchange on a line of the thread's own.
class ReadSection {
 public:
  ReadSection() noexcept;
  ~ReadSection();
  ReadSection(ReadSection const&) = delete;
  ReadSection& operator=(ReadSection const&) = delete;
};

/// A point in the order of read sections. Take it after the array is out of sight (by a sequentially consistent store).
std::uint64_t retirement_mark() noexcept;

/// Whether every read section that may have begun before the mark has ended. Never waits.
bool all_readers_passed(std::uint64_t mark) noexcept;

}  // namespace kvgate::prefix
