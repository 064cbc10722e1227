#include "proxy/response_owners.hpp"

namespace kvgate::proxy {

void ResponseOwners::learn(std::string_view id, std::shared_ptr<fleet::Endpoint> owner) {
  std::lock_guard lock(mutex_);
  if (auto const found = index_.find(id); found != index_.end()) {
    found->second->owner = std::move(owner);
    order_.splice(order_.begin(), order_, found->second);
    return;
  }
  order_.push_front({std::string(id), std::move(owner)});
  index_.emplace(order_.front().id, order_.begin());
  if (order_.size() <= capacity_) return;
  index_.erase(order_.back().id);
  order_.pop_back();
}

std::shared_ptr<fleet::Endpoint> ResponseOwners::find(std::string_view id) {
  std::lock_guard lock(mutex_);
  auto const found = index_.find(id);
  if (found == index_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->owner;
}

}  // namespace kvgate::proxy
