// Keeps what the gate knows of its fleet current: addresses, health, models, load and token ids of
// every engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace kvgate::fleet {
class Endpoint;
}

namespace kvgate::watch {

struct Context;

/// Owns five loops per engine, all on the one thread that runs the context's io_context. No error leaves them.
/// Life: construct, start(), stop(), let the io_context run out of work, destroy.
class Watch {
 public:
  explicit Watch(Context context);
  ~Watch();
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;

  /// Starts watching the engines that the registry has now. Once, before the io_context runs or on its thread.
  void start();

  /// Cancels everything: nothing of it is left in the io_context's queue after one more turn. On its thread.
  void stop();

  /// A tokenizer was loaded, or could not be. Any thread, any time.
  void tokens_changed();

  using Tokens = std::optional<std::vector<std::uint32_t>>;
  /// Asks the engine's POST /tokenize, within tokenizers.remote_timeout. `done` is called once, on the control thread;
  /// nullopt: the engine did not tell. Any thread, before stop().
  void tokenize(std::shared_ptr<fleet::Endpoint const> endpoint, std::string body, std::function<void(Tokens)> done);

  /// The data path could not reach the engine: its name is looked up anew soon. Any thread, any time; literals and
  /// unknown engines change nothing.
  void request_resolve(std::shared_ptr<fleet::Endpoint const> endpoint);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kvgate::watch
