// Small helpers over simdjson for the loader. Inside this module errors are thrown; load.cpp turns them into Results.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace kvgate::text {

/// What is wrong with a file; `what` names the component.
struct SpecError {
  std::string what;
};

namespace spec {

using simdjson::dom::element;
using simdjson::dom::object;

/// A text from the file as an error message may show it: short, printable, quoted.
std::string in_quotes(std::string_view text);

/// The member of that name, the last if there are several, as the library's own reader has it; null counts as absent.
bool find(object const& in, std::string_view name, element& out);

/// A member of a component (which errors name); these throw SpecError if it is absent or of another type.
element required(object const& in, std::string_view name, std::string_view component);
bool get_bool(object const& in, std::string_view name, std::string_view component);
bool get_bool(object const& in, std::string_view name, std::string_view component, bool if_absent);
std::string get_string(object const& in, std::string_view name, std::string_view component);
std::uint64_t get_unsigned(element const& value, std::string_view name, std::string_view component);
std::uint32_t get_id(element const& value, std::string_view name, std::string_view component);
object as_object(element const& value, std::string_view component);
simdjson::dom::array as_array(element const& value, std::string_view component);

/// A JSON number as the library reads it: not always the nearest double, its last bit can differ. Throws SpecError if
/// it is out of range.
double number_like_library(std::string_view token);

/// Throws SpecError if the text is not base64 with its padding.
std::string decode_base64(std::string_view text, std::string_view component);

}  // namespace spec
}  // namespace kvgate::text
