#include "sim/engine.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/packaged_task.hpp>
#include <boost/asio/post.hpp>
#include <stdexcept>
#include <thread>

#include "sim/listener.hpp"
#include "sim/state.hpp"

namespace kvgate::sim {

namespace net = boost::asio;

namespace {

SimOptions checked(SimOptions options) {
  if (options.models.empty()) throw std::invalid_argument("a simulated engine needs a model");
  if (options.block_size == 0 || options.num_gpu_blocks == 0 || options.max_num_seqs == 0) {
    throw std::invalid_argument("block size, number of blocks and of sequences must be at least 1");
  }
  return options;
}

}  // namespace

struct SimEngine::Impl {
  explicit Impl(SimOptions options) : state(checked(std::move(options))), listener(io, state) {}

  /// Runs `f` on the engine's thread and waits for its result.
  template <class F>
  auto call(F f) {
    return net::post(io, std::packaged_task<decltype(f())()>(std::move(f))).get();
  }

  EngineState state;  // before io: frames that are destroyed with io still refer to it
  net::io_context io{1};
  Listener listener;
  std::thread thread;
};

SimEngine::SimEngine(SimOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  impl_->listener.start();
  impl_->thread = std::thread([this] { impl_->io.run(); });
}

SimEngine::~SimEngine() {
  impl_->io.stop();
  impl_->thread.join();
  impl_->state.scheduler.stop();
}

std::uint16_t SimEngine::port() const {
  return impl_->listener.port();
}

std::string SimEngine::url() const {
  auto const& host = impl_->state.options.host;
  bool const v6 = host.find(':') != std::string::npos;
  return "http://" + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port());
}

SimStats SimEngine::stats() const {
  return impl_->call([this] { return impl_->state.snapshot(); });
}

void SimEngine::fault(Fault const& fault) {
  impl_->call([this, &fault] { impl_->state.apply(fault); });
}

void SimEngine::fault(std::string const& text) {
  auto const parsed = parse_fault(text);
  if (!parsed) throw std::invalid_argument(parsed.error().message);
  fault(*parsed);
}

void SimEngine::reset() {
  impl_->call([this] { impl_->state.reset(); });
}

}  // namespace kvgate::sim
