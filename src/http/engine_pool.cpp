#include "http/engine_pool.hpp"

#include <algorithm>

namespace kvgate::http {

void EngineConnection::on_news() {
  if (idle_deadline_.expired() || !stream_->quiet()) pool_->close(*this);
}

std::unique_ptr<EngineConnection> EnginePool::take(void const* key) {
  auto const found = idle_.find(key);
  while (found != idle_.end() && !found->second.empty()) {
    auto connection = std::move(found->second.back());
    found->second.pop_back();
    // What has come meanwhile is no answer to the request that is about to be sent.
    if (connection->stream_->news_pending()) {
      closed_idle_();
      continue;
    }
    connection->idle_deadline_.clear();
    connection->stream_->listen(nullptr);
    connection->reused_ = true;
    return connection;
  }
  return nullptr;
}

void EnginePool::put(void const* key, std::unique_ptr<EngineConnection> connection) {
  if (!connection->stream_->quiet()) return;
  connection->pool_ = this;
  connection->key_ = key;
  connection->stream_->listen(connection.get());
  connection->idle_deadline_.set_after(idle_timeout_);
  idle_[key].push_back(std::move(connection));
}

std::size_t EnginePool::size() const noexcept {
  std::size_t n = 0;
  for (auto const& [key, connections] : idle_) n += connections.size();
  return n;
}

void EnginePool::close(EngineConnection& connection) {
  auto& connections = idle_[connection.key_];
  auto const at = std::ranges::find(connections, &connection, &std::unique_ptr<EngineConnection>::get);
  if (at == connections.end()) return;
  closed_idle_();
  auto const doomed = std::move(*at);   // destroyed on return, after it has left the pool
  connections.erase(at);
}

}  // namespace kvgate::http
