// Numbers as Python writes and reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kvgate::jinja {

/// repr(): shortest digits that read back the same: "1.0", "1e-07", "inf".
void append_float(std::string& out, double number);

/// A JSON or Python literal without underscores; out of range becomes infinity or zero, as in Python.
double read_double(std::string_view literal) noexcept;

/// float(text): surrounding white space, sign, underscores between digits, "inf", "nan"; nullopt for anything else.
std::optional<double> python_float(std::string_view text);

}  // namespace kvgate::jinja
