// Requests that may be what kills engines: a body that lost two engines is not given to a third for a while.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "kvgate/clock.hpp"

namespace kvgate::proxy {

/// Shared by all workers. The usual case, an empty list, costs one atomic load.
class PoisonList {
 public:
  using Digest = std::array<unsigned char, 32>;

  explicit PoisonList(std::chrono::seconds ttl) : ttl_(ttl) {}

  /// One request by what an engine would see of it. Without a body there is nothing that could be to blame.
  struct Subject {
    std::string_view target, body;
  };

  /// What the list knows a subject by; nullopt without a body, which is never to blame. Costs a SHA-256 of the body.
  static std::optional<Digest> digest_of(Subject const& subject);

  /// `engine` (any identity that another engine does not share) went away after it had been sent the whole request.
  void lost(Digest const& digest, std::uint64_t engine, Clock::time_point now);
  /// It has lost two different engines within the time to live.
  bool is_poison(Subject const& subject, Clock::time_point now);
  bool is_poison(Digest const& digest, Clock::time_point now);

 private:
  struct Entry {
    std::vector<std::uint64_t> engines;   // different ones
    Clock::time_point last{};
  };
  static constexpr std::size_t kMax = 10'000;

  void forget_old(Clock::time_point now);

  std::chrono::seconds ttl_;
  std::atomic<std::size_t> size_{0};
  std::mutex mutex_;
  std::map<Digest, Entry> entries_;
};

}  // namespace kvgate::proxy
