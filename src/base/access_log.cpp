#include "base/access_log.hpp"

#include <fmt/format.h>

#include <chrono>

#include "base/log_line.hpp"
#include "base/log_pipeline.hpp"

namespace kvgate::log {
namespace {

constexpr std::size_t kMaxString = 512;

/// Waiting records must not hold on to megabytes that a client sent as a model name.
void cut(std::string& text) {
  if (text.size() > kMaxString) text = text.substr(0, kMaxString) + "...";
}

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double epoch_seconds(WallClock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

Field text_or_absent(std::string_view key, std::string_view value) {
  return value.empty() ? Field(key, std::monostate{}) : Field(key, value);
}

Field number_or_absent(std::string_view key, std::optional<std::uint64_t> const& value) {
  return value ? Field(key, *value) : Field(key, std::monostate{});
}

void add_who(LineWriter& line, AccessRecord const& record) {
  line.add({"id", record.request_id});
  line.add(record.session_id ? Field("session", *record.session_id) : Field("session", std::monostate{}));
  line.add(text_or_absent("route", record.route)).add(text_or_absent("model", record.model));
  line.add(text_or_absent("engine", record.engine));
  line.add(text_or_absent("policy", record.policy)).add(text_or_absent("reason", record.reason));
}

void add_outcome(LineWriter& line, AccessRecord const& record) {
  line.add({"status", record.status});
  line.add(text_or_absent("error", record.error ? to_string(*record.error) : std::string_view{}));
  line.add({"retries", record.retries}).add({"bytes_in", record.bytes_in}).add({"bytes_out", record.bytes_out});
  line.add(number_or_absent("prompt_tokens", record.prompt_tokens));
  line.add(number_or_absent("cached_tokens", record.cached_tokens));
  line.add(number_or_absent("completion_tokens", record.completion_tokens));
}

void add_times(LineWriter& line, AccessRecord const& record) {
  if (record.engine.empty()) {
    line.add({"routed_at", std::monostate{}}).add({"decision", std::monostate{}});
  } else {
    line.add_seconds("routed_at", epoch_seconds(record.routed_at));
    line.add_seconds("decision", seconds(record.decision));
  }
  if (record.ttft) {
    line.add_seconds("ttft", seconds(*record.ttft));
  } else {
    line.add({"ttft", std::monostate{}});
  }
  line.add_seconds("total", seconds(record.total));
}

/// Existing tooling parses this line: its words are a contract.
std::string routing_line(AccessRecord const& record) {
  std::string session;
  append_escaped(session, record.session_id ? *record.session_id : "None", Format::text, false);
  std::string id;
  append_escaped(id, record.request_id, Format::text, false);
  return fmt::format("Routing request {} with session id {} to {} at {:.6f}, process time = {:.6f}", id, session,
                     record.engine, epoch_seconds(record.routed_at), seconds(record.decision));
}

}  // namespace

void access(AccessRecord&& record) {
  cut(record.request_id);
  if (record.session_id) cut(*record.session_id);
  cut(record.route);
  cut(record.model);
  cut(record.engine);
  Pipeline::instance().push(AccessItem{WallClock::now(), std::move(record)});
}

AccessLines format_access(AccessRecord const& record, Format format) {
  AccessLines lines;
  if (format == Format::text && !record.engine.empty()) lines.routing = routing_line(record);
  LineWriter line(format, "access");
  add_who(line, record);
  add_outcome(line, record);
  add_times(line, record);
  lines.access = line.take();
  return lines;
}

}  // namespace kvgate::log
