// The relay's coroutine type and its one way to sleep.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <new>
#include <utility>

namespace kvgate::http {

namespace net = boost::asio;

using Executor = net::io_context::executor_type;   // not type-erased: cheaper to copy than any_io_executor
template <class T = void>
using Awaitable = net::awaitable<T, Executor>;

/// Something that is told when a descriptor or a deadline has news. Called on the worker's thread.
class Listener {
 public:
  virtual void on_news() = 0;

 protected:
  ~Listener() = default;
};

/// A coroutine sleeps on its Wake until something that it looks at may have changed; it then looks at everything again.
/// One waiter, one thread; a notification while nobody waits is kept. Nothing is allocated: the handler is stored here.
class Wake final : public Listener {
 public:
  Wake() = default;
  Wake(Wake const&) = delete;
  Wake& operator=(Wake const&) = delete;
  ~Wake() { if (destroy_) destroy_(storage_); }

  /// Resumes the waiter at once, inside this call.
  void notify() {
    if (!resume_) {
      notified_ = true;
      return;
    }
    destroy_ = nullptr;
    std::exchange(resume_, nullptr)(storage_);
  }
  void on_news() override { notify(); }

  /// `co_await wake.wait()`: returns after the next notify(), at once when one is kept.
  auto wait() {
    return net::async_initiate<net::deferred_t const, void()>(Initiate{}, net::deferred, this);
  }

 private:
  struct Initiate {
    template <class Handler>
    void operator()(Handler&& handler, Wake* wake) const {
      wake->store(std::forward<Handler>(handler));
    }
  };

  template <class Handler>
  void store(Handler handler) {
    static_assert(sizeof(Handler) <= sizeof(storage_) && alignof(Handler) <= alignof(std::max_align_t));
    new (storage_) Handler(std::move(handler));
    resume_ = [](std::byte* at) {
      auto* stored = std::launder(reinterpret_cast<Handler*>(at));
      Handler local(std::move(*stored));
      stored->~Handler();
      std::move(local)();
    };
    destroy_ = [](std::byte* at) { std::launder(reinterpret_cast<Handler*>(at))->~Handler(); };
    if (std::exchange(notified_, false)) notify();
  }

  alignas(std::max_align_t) std::byte storage_[64];
  void (*resume_)(std::byte*) = nullptr;
  void (*destroy_)(std::byte*) = nullptr;
  bool notified_ = false;
};

}  // namespace kvgate::http
