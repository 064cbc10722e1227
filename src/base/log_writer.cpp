#include "base/log_writer.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>

#include "base/log_line.hpp"
#include "base/log_sink.hpp"

namespace kvgate::log {
namespace {

constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
constexpr char kJsonPattern[] = R"({"ts":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

Writer::Writer(LogOptions const& options, std::atomic<std::uint64_t>& dropped)
    : format_(options.format),
      dropped_(dropped),
      reported_(dropped.load(std::memory_order_relaxed)),
      sink_(std::make_shared<FdSink>(options.file, dropped)),
      logger_(std::make_unique<spdlog::logger>("kvgate", sink_)) {
  // A logger of our own, not spdlog's registry: no global state, and no other thread ever touches it.
  logger_->set_level(spdlog::level::trace);
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      format_ == Format::json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc, "\n"));
}

Writer::~Writer() = default;

void Writer::write(Pipeline::Item const& item) {
  std::visit([this](auto const& i) { put(i); }, item);
}

void Writer::end_batch() {
  std::uint64_t const dropped = dropped_.load(std::memory_order_relaxed);
  if (dropped != reported_) notice(Level::warn, "log lines dropped", {"count", dropped - reported_});
  reported_ = dropped;
  logger_->flush();
}

void Writer::hurry() noexcept {
  sink_->hurry();
}

void Writer::put(LineItem const& item) {
  line(item.time, item.level, item.payload);
}

void Writer::put(AccessItem const& item) {
  AccessLines const lines = format_access(item.record, format_);
  if (!lines.routing.empty()) line(item.time, Level::info, lines.routing);
  line(item.time, Level::info, lines.access);
}

void Writer::put(ReopenItem const&) {
  logger_->flush();
  if (auto const ec = sink_->reopen()) notice(Level::error, "log file not reopened", {"error", ec.message()});
}

void Writer::line(WallClock::time_point time, Level level, std::string_view payload) {
  logger_->log(time, spdlog::source_loc{}, spdlog_level(level), spdlog::string_view_t(payload.data(), payload.size()));
}

void Writer::notice(Level level, std::string_view message, Field const& field) {
  line(WallClock::now(), level, LineWriter(format_, message).add(field).take());
}

}  // namespace kvgate::log
