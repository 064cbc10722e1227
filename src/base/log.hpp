// The log: one line per event, RFC 3339 UTC with milliseconds, as text or as JSON objects (ts, level, message, fields).
//
// Callers only put a line into a bounded queue; one background thread writes. A full queue drops the line and counts
// it, so a slow disk or a stuck reader of standard output never blocks a worker. Nothing here logs by itself what
// clients send: never pass a prompt, a completion or a key.
//
// Thread-safety: everything but init() and flush_and_stop() may be called from any thread at any time. Before init()
// and after flush_and_stop() a call does nothing. Whatever a value contains, the line stays one line of valid UTF-8:
// control bytes and malformed bytes are escaped, values over 4 KiB are cut.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace kvgate::log {

enum class Level : std::uint8_t { debug, info, warn, error };
enum class Format : std::uint8_t { text, json };

struct LogOptions {
  Format format = Format::text;
  Level level = Level::info;  ///< lines below it are not written; access lines always are
  std::string file;           ///< appended to; empty: standard output
  std::size_t queue = 8192;   ///< lines that may wait for the background thread
};

/// Opens the file and starts the background thread. Call it once, before other threads start (again only after
/// flush_and_stop()). Throws std::system_error, naming the file, when it cannot be opened.
void init(LogOptions const& options);

/// Writes what is queued and ends the background thread; gives up on a reader that takes nothing for a second.
void flush_and_stop();

/// Asks the background thread to open the file anew (after a rotation). Lines logged before go to the old file. When
/// the new one cannot be opened, the old one is kept and a line says so. Nothing happens on standard output.
void reopen();

/// Lines lost since the process started: queue full, or the write failed.
std::uint64_t dropped() noexcept;

/// Cheap: one relaxed load.
bool enabled(Level level) noexcept;

/// A value that is JSON already, of printable ASCII: written as it is, neither quoted nor cut. In text form it should be
/// the last of its line.
struct Json {
  std::string_view text;
};

/// A named value of a line. Views must live until the call returns.
struct Field {
  using Value = std::variant<std::monostate, std::string_view, std::int64_t, double, bool, Json>;
  std::string_view key;
  Value value;  ///< monostate: absent, written as `-` or null

  Field(std::string_view k, std::monostate) : key(k) {}
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, char const* v) : key(k), value(std::string_view(v)) {}
  Field(std::string_view k, std::string const& v) : key(k), value(std::string_view(v)) {}
  Field(std::string_view k, Json v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v) {}
  Field(std::string_view k, double v) : key(k), value(v) {}
  Field(std::string_view k, std::integral auto v) : key(k), value(static_cast<std::int64_t>(v)) {}
};

/// A line with fields: `message key=value ...`, or members of the JSON object.
void event(Level level, std::string_view message, std::initializer_list<Field> fields);

/// Not templates, so that callers compile no formatting code.
void vwrite(Level level, fmt::string_view format, fmt::format_args args);

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::debug)) vwrite(Level::debug, format, fmt::make_format_args(args...));
}

template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::info)) vwrite(Level::info, format, fmt::make_format_args(args...));
}

template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::warn)) vwrite(Level::warn, format, fmt::make_format_args(args...));
}

template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  if (enabled(Level::error)) vwrite(Level::error, format, fmt::make_format_args(args...));
}

}  // namespace kvgate::log
