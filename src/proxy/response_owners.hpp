// Which engine made which /v1/responses id: later calls about the id go there.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kvgate::fleet {
class Endpoint;
}

namespace kvgate::proxy {

/// Bounded, least recently used first out. Shared by all workers.
class ResponseOwners {
 public:
  explicit ResponseOwners(std::size_t capacity) : capacity_(capacity) {}

  void learn(std::string_view id, std::shared_ptr<fleet::Endpoint> owner);
  /// Null when unknown.
  std::shared_ptr<fleet::Endpoint> find(std::string_view id);

 private:
  struct Entry {
    std::string id;
    std::shared_ptr<fleet::Endpoint> owner;
  };

  std::size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> order_;   // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;
};

}  // namespace kvgate::proxy
