#include "text/spec/json.hpp"

#include <limits>

#include "base/utf8.hpp"

namespace kvgate::text::spec {
namespace {

std::string member_of(std::string_view name, std::string_view component) {
  return std::string(component) + ": \"" + std::string(name) + "\"";
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string shown = "\"";
  for (char c : to_valid_utf8(text.substr(0, kMost))) shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return shown + (text.size() > kMost ? "...\"" : "\"");
}

bool find(object const& in, std::string_view name, element& out) {
  bool found = false;
  for (auto field : in) {
    if (field.key != name) continue;
    found = !field.value.is_null();
    out = field.value;
  }
  return found;
}

element required(object const& in, std::string_view name, std::string_view component) {
  element value;
  if (!find(in, name, value)) throw SpecError{member_of(name, component) + " is missing"};
  return value;
}

bool get_bool(object const& in, std::string_view name, std::string_view component) {
  bool value = false;
  if (required(in, name, component).get(value)) throw SpecError{member_of(name, component) + " must be true or false"};
  return value;
}

bool get_bool(object const& in, std::string_view name, std::string_view component, bool if_absent) {
  element ignored;
  return find(in, name, ignored) ? get_bool(in, name, component) : if_absent;
}

std::string get_string(object const& in, std::string_view name, std::string_view component) {
  std::string_view value;
  if (required(in, name, component).get(value)) throw SpecError{member_of(name, component) + " must be a string"};
  return std::string(value);
}

std::uint64_t get_unsigned(element const& value, std::string_view name, std::string_view component) {
  std::uint64_t number = 0;
  if (value.get(number)) {
    throw SpecError{member_of(name, component) + " must be a whole number, 0 or more"};
  }
  return number;
}

std::uint32_t get_id(element const& value, std::string_view name, std::string_view component) {
  std::uint64_t const number = get_unsigned(value, name, component);
  if (number > std::numeric_limits<std::uint32_t>::max()) {
    throw SpecError{member_of(name, component) + " is out of range: " + std::to_string(number)};
  }
  return static_cast<std::uint32_t>(number);
}

object as_object(element const& value, std::string_view component) {
  object result;
  if (value.get(result)) throw SpecError{std::string(component) + " must be an object"};
  return result;
}

simdjson::dom::array as_array(element const& value, std::string_view component) {
  simdjson::dom::array result;
  if (value.get(result)) throw SpecError{std::string(component) + " must be a list"};
  return result;
}

std::string decode_base64(std::string_view text, std::string_view component) {
  static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (text.size() % 4 != 0) throw SpecError{std::string(component) + ": not base64"};
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  std::size_t count = 0;
  for (char c : text.substr(0, text.size() - padding)) {
    std::size_t const digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) throw SpecError{std::string(component) + ": not base64"};
    group = group << 6 | static_cast<std::uint32_t>(digit);
    if (++count % 4 == 0) {
      for (int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift & 0xff);
      group = 0;
    }
  }
  if (padding == 1) bytes += static_cast<char>(group >> 10 & 0xff), bytes += static_cast<char>(group >> 2 & 0xff);
  if (padding == 2) bytes += static_cast<char>(group >> 4 & 0xff);
  return bytes;
}

}  // namespace kvgate::text::spec
