#include "base/log.hpp"

#include <fmt/format.h>

#include "base/log_line.hpp"
#include "base/log_pipeline.hpp"

namespace kvgate::log {
namespace {

void push(Level level, std::string payload) {
  Pipeline::instance().push(LineItem{WallClock::now(), level, std::move(payload)});
}

}  // namespace

void init(LogOptions const& options) {
  Pipeline::instance().start(options);
}

void flush_and_stop() {
  Pipeline::instance().stop();
}

void reopen() {
  Pipeline::instance().push(ReopenItem{});
}

std::uint64_t dropped() noexcept {
  return Pipeline::instance().dropped();
}

bool enabled(Level level) noexcept {
  return Pipeline::instance().enabled(level);
}

void event(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (!enabled(level)) return;
  LineWriter line(Pipeline::instance().format(), message);
  for (auto const& field : fields) line.add(field);
  push(level, line.take());
}

void vwrite(Level level, fmt::string_view format, fmt::format_args args) {
  push(level, LineWriter(Pipeline::instance().format(), fmt::vformat(format, args)).take());
}

}  // namespace kvgate::log
