// The functions behind filters.hpp's table. All throw Thrown where Python raises.
#pragma once

#include "text/jinja/arguments.hpp"
#include "text/jinja/value.hpp"

namespace kvgate::jinja {

class Runtime;

// text_filters.cpp
Value filter_capitalize(Runtime&, Value const& subject, Arguments const&);
Value filter_center(Runtime&, Value const& subject, Arguments const&);
Value filter_escape(Runtime&, Value const& subject, Arguments const&);
Value filter_forceescape(Runtime&, Value const& subject, Arguments const&);
Value filter_format(Runtime&, Value const& subject, Arguments const&);
Value filter_indent(Runtime&, Value const& subject, Arguments const&);
Value filter_join(Runtime&, Value const& subject, Arguments const&);
Value filter_lower(Runtime&, Value const& subject, Arguments const&);
Value filter_replace(Runtime&, Value const& subject, Arguments const&);
Value filter_safe(Runtime&, Value const& subject, Arguments const&);
Value filter_string(Runtime&, Value const& subject, Arguments const&);
Value filter_title(Runtime&, Value const& subject, Arguments const&);
Value filter_trim(Runtime&, Value const& subject, Arguments const&);
Value filter_truncate(Runtime&, Value const& subject, Arguments const&);
Value filter_upper(Runtime&, Value const& subject, Arguments const&);
Value filter_urlencode(Runtime&, Value const& subject, Arguments const&);
Value filter_wordcount(Runtime&, Value const& subject, Arguments const&);
Value filter_xmlattr(Runtime&, Value const& subject, Arguments const&);

// number_filters.cpp
Value filter_abs(Runtime&, Value const& subject, Arguments const&);
Value filter_filesizeformat(Runtime&, Value const& subject, Arguments const&);
Value filter_float(Runtime&, Value const& subject, Arguments const&);
Value filter_int(Runtime&, Value const& subject, Arguments const&);
Value filter_round(Runtime&, Value const& subject, Arguments const&);

// sequence_filters.cpp
Value filter_attr(Runtime&, Value const& subject, Arguments const&);
Value filter_default(Runtime&, Value const& subject, Arguments const&);
Value filter_first(Runtime&, Value const& subject, Arguments const&);
Value filter_last(Runtime&, Value const& subject, Arguments const&);
Value filter_length(Runtime&, Value const& subject, Arguments const&);
Value filter_list(Runtime&, Value const& subject, Arguments const&);
Value filter_max(Runtime&, Value const& subject, Arguments const&);
Value filter_min(Runtime&, Value const& subject, Arguments const&);
Value filter_reverse(Runtime&, Value const& subject, Arguments const&);
Value filter_sum(Runtime&, Value const& subject, Arguments const&);

// sort_filters.cpp
Value filter_dictsort(Runtime&, Value const& subject, Arguments const&);
Value filter_groupby(Runtime&, Value const& subject, Arguments const&);
Value filter_sort(Runtime&, Value const& subject, Arguments const&);

// generator_filters.cpp: these give iterators that work when they are asked
Value filter_batch(Runtime&, Value const& subject, Arguments const&);
Value filter_items(Runtime&, Value const& subject, Arguments const&);
Value filter_map(Runtime&, Value const& subject, Arguments const&);
Value filter_reject(Runtime&, Value const& subject, Arguments const&);
Value filter_rejectattr(Runtime&, Value const& subject, Arguments const&);
Value filter_select(Runtime&, Value const& subject, Arguments const&);
Value filter_selectattr(Runtime&, Value const& subject, Arguments const&);
Value filter_slice(Runtime&, Value const& subject, Arguments const&);
Value filter_unique(Runtime&, Value const& subject, Arguments const&);

}  // namespace kvgate::jinja
