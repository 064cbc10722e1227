#include "sim/response_store.hpp"

namespace kvgate::sim {

void ResponseStore::put(std::string const& id, StoredResponse response) {
  auto const [entry, is_new] = by_id_.insert_or_assign(id, std::move(response));
  if (is_new) order_.push_back(id);
  if (order_.size() > capacity_) {
    by_id_.erase(order_.front());
    order_.pop_front();
  }
}

StoredResponse* ResponseStore::find(std::string const& id) {
  auto const found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

void ResponseStore::clear() noexcept {
  order_.clear();
  by_id_.clear();
}

}  // namespace kvgate::sim
