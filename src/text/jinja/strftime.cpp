#include <chrono>
#include <cstdio>
#include <ctime>

#include "text/jinja/globals.hpp"

namespace kvgate::jinja {
namespace {

// A longer result is some "%1000000d".
constexpr std::size_t kLongest = 4096;

// One piece without the directives that C does not have.
void append_piece(std::string& out, std::tm const& tm, std::string const& format) {
  if (format.empty()) return;
  std::string buffer(kLongest, '\0');
  // The mark tells an empty result from one that did not fit.
  std::size_t const size = std::strftime(buffer.data(), buffer.size(), ("." + format).c_str(), &tm);
  if (size == 0) over_limit("the text of strftime_now becomes too long");
  out.append(buffer, 1, size - 1);
}

}  // namespace

std::string strftime(LocalTime const& time, std::string_view format) {
  if (format.size() > kLongest / 8) over_limit("the format of strftime_now is too long");
  std::string out, piece;
  for (std::size_t at = 0; at < format.size(); ++at) {
    char const next = at + 1 < format.size() ? format[at + 1] : '\0';
    if (format[at] == '\0') {  // ends a C string
      append_piece(out, time.tm, std::exchange(piece, {}));
      out += '\0';
    } else if (format[at] != '%' || next == '\0') {
      piece += format[at];
    } else if (next == 'f') {
      char digits[16];
      std::snprintf(digits, sizeof digits, "%06d", time.microsecond);
      piece += digits;
      ++at;
    } else if (next == 'z' || next == 'Z') {  // a naive time has no zone
      ++at;
    } else {
      piece += format[at];
      piece += next;
      ++at;
    }
  }
  append_piece(out, time.tm, piece);
  return out;
}

LocalTime local_time_now() {
  using namespace std::chrono;
  auto const now = system_clock::now();
  std::time_t const seconds_now = system_clock::to_time_t(now);
  LocalTime local;
  localtime_r(&seconds_now, &local.tm);
  local.microsecond = static_cast<int>(duration_cast<microseconds>(now.time_since_epoch()).count() % 1'000'000);
  return local;
}

}  // namespace kvgate::jinja
