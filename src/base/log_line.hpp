// Builds what stands behind timestamp and level in one log line, in either format, escaping as it goes.
#pragma once

#include <string>
#include <string_view>

#include "base/log.hpp"

namespace kvgate::log {

/// Appends `value` so that it cannot end the line or the JSON string. Control characters (C0, DEL, C1, U+2028, U+2029)
/// become \n, \r, \t or \uXXXX. `quotes` also escapes `"` and `\`.
/// Malformed UTF-8: U+FFFD in JSON, \xNN in text.
void append_escaped(std::string& out, std::string_view value, Format format, bool quotes);

/// One line, without the timestamp and the level: text `message key=value key="va lue"`, or the JSON members
/// `"message":"...","key":value`.
class LineWriter {
 public:
  LineWriter(Format format, std::string_view message);

  LineWriter& add(Field const& field);
  /// A time in seconds, with microseconds.
  LineWriter& add_seconds(std::string_view key, double seconds);

  std::string take() { return std::move(out_); }

 private:
  void begin(std::string_view key);
  void put(std::monostate);
  void put(std::string_view value);
  void put(std::int64_t value);
  void put(double value);
  void put(bool value);
  void put(Json value);

  Format format_;
  std::string out_;
};

}  // namespace kvgate::log
