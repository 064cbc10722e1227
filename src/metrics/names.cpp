#include "metrics/names.hpp"

#include "base/utf8.hpp"

namespace kvgate::metrics {

std::uint32_t Names::intern(std::string_view name) {
  if (name.empty() || name.size() > kLongest) return 0;
  std::string const key(name);
  if (auto const found = ids_.find(key); found != ids_.end()) return found->second;
  if (labels_.size() >= most_) return 0;
  labels_.push_back(to_valid_utf8(name));
  return ids_[key] = last_id();
}

}  // namespace kvgate::metrics
