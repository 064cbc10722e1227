// Numbers, durations and sizes as the configuration spells them. Pure functions; nullopt is "not one of these".
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kvgate::config {

/// Decimal digits alone: no sign, no leading zero (`010` is 8 to YAML 1.1 and 10 to its reader).
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// The same with an optional minus.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Digits with an optional fraction; no sign, exponent or leading zero.
std::optional<double> parse_number(std::string_view text);

/// `500ms`, `2s`, `1.5m`, `1h`, or plain seconds; a whole number of milliseconds.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// `64KiB`, `64MiB`, `1GiB`, `1TiB`, or plain bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// The shortest spelling that parses back to the same value.
std::string format_number(double value);
std::string format_duration(std::chrono::milliseconds value);
std::string format_size(std::uint64_t bytes);

}  // namespace kvgate::config
