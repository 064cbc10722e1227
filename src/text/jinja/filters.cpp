#include "text/jinja/filters.hpp"

#include <algorithm>
#include <iterator>

#include "text/jinja/filter_functions.hpp"
#include "text/jinja/thrown.hpp"

namespace kvgate::jinja {
namespace {

struct Row {
  std::string_view name;
  FilterFunction function;
};

// Sorted by name. Without a function: Jinja has it, this engine does not.
constexpr Row kFilters[] = {
    {"abs", filter_abs},
    {"attr", filter_attr},
    {"batch", filter_batch},
    {"capitalize", filter_capitalize},
    {"center", filter_center},
    {"count", filter_length},
    {"d", filter_default},
    {"default", filter_default},
    {"dictsort", filter_dictsort},
    {"e", filter_escape},
    {"escape", filter_escape},
    {"filesizeformat", filter_filesizeformat},
    {"first", filter_first},
    {"float", filter_float},
    {"forceescape", filter_forceescape},
    {"format", filter_format},
    {"groupby", filter_groupby},
    {"indent", filter_indent},
    {"int", filter_int},
    {"items", filter_items},
    {"join", filter_join},
    {"last", filter_last},
    {"length", filter_length},
    {"list", filter_list},
    {"lower", filter_lower},
    {"map", filter_map},
    {"max", filter_max},
    {"min", filter_min},
    {"pprint", nullptr},
    {"random", nullptr},
    {"reject", filter_reject},
    {"rejectattr", filter_rejectattr},
    {"replace", filter_replace},
    {"reverse", filter_reverse},
    {"round", filter_round},
    {"safe", filter_safe},
    {"select", filter_select},
    {"selectattr", filter_selectattr},
    {"slice", filter_slice},
    {"sort", filter_sort},
    {"string", filter_string},
    {"striptags", nullptr},
    {"sum", filter_sum},
    {"title", filter_title},
    {"tojson", filter_tojson},
    {"trim", filter_trim},
    {"truncate", filter_truncate},
    {"unique", filter_unique},
    {"upper", filter_upper},
    {"urlencode", filter_urlencode},
    {"urlize", nullptr},
    {"wordcount", filter_wordcount},
    {"wordwrap", nullptr},
    {"xmlattr", filter_xmlattr},
};

Row const* find_row(std::string_view name) noexcept {
  auto const at = std::lower_bound(std::begin(kFilters), std::end(kFilters), name,
                                   [](Row const& row, std::string_view wanted) { return row.name < wanted; });
  return at != std::end(kFilters) && at->name == name ? at : nullptr;
}

}  // namespace

FilterFunction find_filter(std::string_view name, int line) {
  Row const* row = find_row(name);
  if (row && !row->function) unsupported("the filter " + quoted(name) + " is not supported", line);
  return row ? row->function : nullptr;
}

bool is_filter(std::string_view name) noexcept {
  return find_row(name) != nullptr;
}

}  // namespace kvgate::jinja
