// Methods of str. Each takes the text as `self`; results are Markup where `self` is. All throw Thrown where Python
// raises.
#pragma once

#include "text/jinja/arguments.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

// text_case_methods.cpp
Value text_upper(Runtime&, Value const& self, Arguments const&);
Value text_lower(Runtime&, Value const& self, Arguments const&);
Value text_title(Runtime&, Value const& self, Arguments const&);
Value text_capitalize(Runtime&, Value const& self, Arguments const&);
Value text_swapcase(Runtime&, Value const& self, Arguments const&);
Value text_casefold(Runtime&, Value const& self, Arguments const&);
Value text_isalnum(Runtime&, Value const& self, Arguments const&);
Value text_isalpha(Runtime&, Value const& self, Arguments const&);
Value text_isascii(Runtime&, Value const& self, Arguments const&);
Value text_isdecimal(Runtime&, Value const& self, Arguments const&);
Value text_isdigit(Runtime&, Value const& self, Arguments const&);
Value text_islower(Runtime&, Value const& self, Arguments const&);
Value text_isnumeric(Runtime&, Value const& self, Arguments const&);
Value text_isprintable(Runtime&, Value const& self, Arguments const&);
Value text_isspace(Runtime&, Value const& self, Arguments const&);
Value text_istitle(Runtime&, Value const& self, Arguments const&);
Value text_isupper(Runtime&, Value const& self, Arguments const&);

// text_search_methods.cpp
Value text_count(Runtime&, Value const& self, Arguments const&);
Value text_find(Runtime&, Value const& self, Arguments const&);
Value text_rfind(Runtime&, Value const& self, Arguments const&);
Value text_index(Runtime&, Value const& self, Arguments const&);
Value text_rindex(Runtime&, Value const& self, Arguments const&);
Value text_startswith(Runtime&, Value const& self, Arguments const&);
Value text_endswith(Runtime&, Value const& self, Arguments const&);

// text_methods.cpp
Value text_strip(Runtime&, Value const& self, Arguments const&);
Value text_lstrip(Runtime&, Value const& self, Arguments const&);
Value text_rstrip(Runtime&, Value const& self, Arguments const&);
Value text_split(Runtime&, Value const& self, Arguments const&);
Value text_rsplit(Runtime&, Value const& self, Arguments const&);
Value text_splitlines(Runtime&, Value const& self, Arguments const&);
Value text_partition(Runtime&, Value const& self, Arguments const&);
Value text_rpartition(Runtime&, Value const& self, Arguments const&);
Value text_replace(Runtime&, Value const& self, Arguments const&);
Value text_removeprefix(Runtime&, Value const& self, Arguments const&);
Value text_removesuffix(Runtime&, Value const& self, Arguments const&);
Value text_join(Runtime&, Value const& self, Arguments const&);
Value text_center(Runtime&, Value const& self, Arguments const&);
Value text_ljust(Runtime&, Value const& self, Arguments const&);
Value text_rjust(Runtime&, Value const& self, Arguments const&);
Value text_zfill(Runtime&, Value const& self, Arguments const&);
Value text_expandtabs(Runtime&, Value const& self, Arguments const&);
Value text_format(Runtime&, Value const& self, Arguments const&);
Value text_format_map(Runtime&, Value const& self, Arguments const&);

/// islower and isupper, for the tests of these names.
bool all_lower(std::string_view text);
bool all_upper(std::string_view text);

}  // namespace kvgate::jinja
