#include "watch/engine.hpp"

namespace kvgate::watch {

Engine::Engine(net::any_io_executor const& executor, std::shared_ptr<fleet::Endpoint> watched)
    : endpoint(std::move(watched)),
      named(!address_of_literal(endpoint->spec().url.host, 0)),
      looked_up(!named),
      health_bell(executor),
      models_bell(executor),
      stats_bell(executor),
      resolve_bell(executor),
      tokens_bell(executor) {}

http::FetchRequest engine_get(Engine const& engine, std::string const& path) {
  auto const& spec = engine.endpoint->spec();
  http::FetchRequest request(spec.url, spec.url.base + path);
  request.addresses = *engine.endpoint->addresses();
  if (!spec.key.empty()) request.headers.emplace_back("Authorization", "Bearer " + spec.key);
  return request;
}

net::awaitable<Result<http::FetchResponse>> ask(Context& context, http::FetchRequest request) {
  if (request.addresses.empty()) {
    co_return Error(ErrorKind::engine_unreachable, "resolve_failed: no address of " + request.url.host + " is known");
  }
  co_return co_await http::fetch(std::move(request), context.tls);
}

Clock::duration jittered(Clock::duration duration, Random& random) {
  auto const unit = static_cast<double>(random.next() >> 11) * 0x1p-53;  // [0, 1)
  return std::chrono::duration_cast<Clock::duration>(duration * (0.9 + 0.2 * unit));
}

}  // namespace kvgate::watch
