// The cells of one worker for one (route, model, engine), and the guard that counts a request at its engine.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "kvgate/error.hpp"
#include "metrics/catalogue.hpp"
#include "metrics/cells.hpp"

namespace kvgate::metrics {

inline constexpr std::size_t kErrorKinds = static_cast<std::size_t>(ErrorKind::internal) + 1;

/// Whose numbers: ids as the Registry gave them; 0 (for the route kNoRoute) is "unknown".
struct SeriesKey {
  std::uint16_t route = 0;
  std::uint32_t model = 0;
  std::uint32_t engine = 0;
  friend bool operator==(SeriesKey const&, SeriesKey const&) = default;
};

/// Token counts of one request. `estimated`: the engine sent no usage.
struct Tokens {
  std::uint64_t prompt = 0;
  std::uint64_t cached = 0;
  std::uint64_t completion = 0;
  bool estimated = false;
};

/// How often each status was answered. An engine may send any number, so beyond kSlots different ones (and outside
/// 100..599) they count as status 0, exposed as "other".
class StatusCounters {
 public:
  static constexpr std::size_t kSlots = 12;

  void add(int status) noexcept;  ///< owner only

  template <class F>
  void each(F&& f) const {
    for (auto const& slot : slots_) {
      if (std::uint64_t const n = slot.count.read()) f(slot.status.load(std::memory_order_relaxed), n);
    }
    if (std::uint64_t const n = other_.read()) f(0, n);
  }

 private:
  struct Slot {
    std::atomic<int> status{0};  // written before the first count, never again
    Counter count;
  };
  std::array<Slot, kSlots> slots_;
  Counter other_;
};

/// Everything is written by the owning worker and may be read by any thread. Lives as long as the Registry.
class alignas(64) RequestSeries {
 public:
  explicit RequestSeries(SeriesKey key) noexcept : key_(key) {}
  RequestSeries(RequestSeries const&) = delete;
  RequestSeries& operator=(RequestSeries const&) = delete;

  SeriesKey const& key() const noexcept { return key_; }

  /// Once the model is known, on the series without an engine: the request came in, whatever becomes of it.
  void incoming() noexcept { incoming_.add(); }
  /// Once, at the end: the status that the client saw (499: it left), and seconds since its arrival.
  void finished(int status, double seconds) noexcept;
  /// Seconds from arrival to the first body byte, of a 2xx: a refusal has no first token.
  void ttft(double seconds) noexcept { ttft_.observe(seconds); }
  /// `n` gaps of `seconds` each between tokens.
  void itl(double seconds, std::uint64_t n = 1) noexcept { itl_.observe(seconds, n); }
  void tokens(Tokens const& tokens) noexcept;
  /// Body bytes.
  void bytes_in(std::uint64_t n) noexcept { bytes_in_.add(n); }
  void bytes_out(std::uint64_t n) noexcept { bytes_out_.add(n); }
  void client_aborted() noexcept { client_aborts_.add(); }
  /// An attempt at this engine failed, whether or not a retry made it good.
  void engine_error(ErrorKind kind) noexcept { engine_errors_[static_cast<std::size_t>(kind)].add(); }

 private:
  friend class EngineLeg;
  friend struct SeriesReading;

  SeriesKey const key_;
  Counter incoming_;
  // Legs go started -> first_byte -> ended_decoding, or started -> ended_in_prefill.
  Counter started_, first_byte_, ended_in_prefill_, ended_decoding_;
  Counter bytes_in_, bytes_out_, client_aborts_;
  struct TokenCells {
    Counter prompt, cached, completion;
  };
  std::array<TokenCells, 2> tokens_;  // from usage, estimated
  StatusCounters statuses_;
  Histogram<kTtftBounds> ttft_;
  Histogram<kItlBounds> itl_;
  std::array<Histogram<kDurationBounds>, 2> durations_;  // success, error
  std::array<Counter, kErrorKinds> engine_errors_;
};

/// Counts one attempt at an engine as in flight for as long as it lives: prefill until first_body_byte(), then
/// decoding. Move-only; must be used and destroyed by the worker that owns the series.
class EngineLeg {
 public:
  EngineLeg() noexcept = default;
  explicit EngineLeg(RequestSeries& series) noexcept : series_(&series) { series.started_.add(); }
  EngineLeg(EngineLeg&& other) noexcept : series_(std::exchange(other.series_, nullptr)), decoding_(other.decoding_) {}
  EngineLeg& operator=(EngineLeg&& other) noexcept {
    end();
    series_ = std::exchange(other.series_, nullptr);
    decoding_ = other.decoding_;
    return *this;
  }
  ~EngineLeg() { end(); }

  /// Repeated calls count once.
  void first_body_byte() noexcept {
    if (series_ == nullptr || decoding_) return;
    decoding_ = true;
    series_->first_byte_.add();
  }
  void end() noexcept {
    if (series_ == nullptr) return;
    (decoding_ ? series_->ended_decoding_ : series_->ended_in_prefill_).add();
    series_ = nullptr;
  }

 private:
  RequestSeries* series_ = nullptr;
  bool decoding_ = false;
};

}  // namespace kvgate::metrics
