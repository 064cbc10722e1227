// Responses that GET /v1/responses/{id} can still find, and the background ones that can be cancelled.
#pragma once

#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

namespace kvgate::sim {

struct StoredResponse {
  std::string body;  ///< as it is answered
  /// Only while it is made in the background: emitting ends that.
  std::shared_ptr<boost::asio::cancellation_signal> running;
};

/// Holds the newest `capacity` responses. Not thread-safe.
class ResponseStore {
 public:
  explicit ResponseStore(std::size_t capacity = 1024) : capacity_(capacity) {}

  /// Adds or replaces; the oldest goes when there are too many.
  void put(std::string const& id, StoredResponse response);

  /// nullptr: not known. The pointer is good until the next put() or clear().
  StoredResponse* find(std::string const& id);

  void clear() noexcept;

 private:
  std::size_t capacity_;
  std::deque<std::string> order_;  // oldest first
  std::unordered_map<std::string, StoredResponse> by_id_;
};

}  // namespace kvgate::sim
