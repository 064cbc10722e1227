#include "config/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace kvgate::config {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first: the order in which formatting tries them.
constexpr std::array<Unit, 4> duration_units{{{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::array<Unit, 5> size_units{
    {{"TiB", 1ULL << 40}, {"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"", 1}}};
constexpr std::string_view digits = "0123456789";

bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && text[1] != '.';
}

template <std::size_t N>
std::optional<std::uint64_t> factor_of(std::string_view name, std::array<Unit, N> const& units) {
  for (Unit const& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

template <std::size_t N>
std::string format_in(std::uint64_t value, std::array<Unit, N> const& units) {
  for (Unit const& unit : units) {
    if (value % unit.factor == 0) return std::to_string(value / unit.factor) + std::string(unit.name);
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || has_leading_zero(text)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  bool const negative = text.starts_with('-');
  auto const value = parse_whole(text.substr(negative ? 1 : 0));
  if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(*value) : static_cast<std::int64_t>(*value);
}

std::optional<double> parse_number(std::string_view text) {
  if (text.empty() || has_leading_zero(text) || digits.find(text.front()) == std::string_view::npos) return {};
  if (digits.find(text.back()) == std::string_view::npos) return {};
  double value = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (ec != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::size_t const split = std::min(text.find_first_not_of("0123456789."), text.size());
  auto const number = parse_number(text.substr(0, split));
  auto const factor = factor_of(split == text.size() ? "s" : text.substr(split), duration_units);
  if (!number || !factor) return {};
  double const value = *number * static_cast<double>(*factor);
  if (value > 1e15 || std::abs(value - std::round(value)) > 1e-6) return {};
  return std::chrono::milliseconds(std::llround(value));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::size_t const split = std::min(text.find_first_not_of(digits), text.size());
  auto const number = parse_whole(text.substr(0, split));
  auto const factor = factor_of(text.substr(split), size_units);
  if (!number || !factor || *number > std::numeric_limits<std::uint64_t>::max() / *factor) return {};
  return *number * *factor;
}

std::string format_number(double value) {
  std::array<char, 400> buffer{};
  auto const [end, ec] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), end};
}

std::string format_duration(std::chrono::milliseconds value) {
  return value.count() == 0 ? "0s" : format_in(static_cast<std::uint64_t>(value.count()), duration_units);
}

std::string format_size(std::uint64_t bytes) {
  return bytes == 0 ? "0" : format_in(bytes, size_units);
}

}  // namespace kvgate::config
