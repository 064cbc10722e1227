#include "text/jinja/json_filter.hpp"

#include <algorithm>
#include <string>

#include "text/jinja/filters.hpp"
#include "text/jinja/operators.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {

JsonStyle json_style(Runtime& runtime, Arguments const& arguments) {
  JsonStyle style;
  if (arguments.empty()) return style;
  Bound const bound(arguments, {"tojson", {"ensure_ascii", "indent", "separators", "sort_keys"}});
  style.ensure_ascii = bound[0] && truthy(*bound[0]);
  style.sort_keys = bound[3] && truthy(*bound[3]);
  if (bound[1] && !bound[1]->is_none()) {
    style.indent = bound[1]->is_string()
                       ? bound[1]->text()
                       : arithmetic(runtime, ExprKind::multiply, Value::string(" "), *bound[1]).text();
    style.item_separator = ",";
  }
  if (bound[2] && !bound[2]->is_none()) {
    if (!bound[2]->is_sequence() || bound[2]->items().size() != 2) {
      value_error("not enough values to unpack (expected 2)");
    }
    style.item_separator = text_argument(bound[2]->items()[0], "separators");
    style.key_separator = text_argument(bound[2]->items()[1], "separators");
  }
  return style;
}

Value filter_tojson(Runtime& runtime, Value const& subject, Arguments const& arguments) {
  TextBuilder out(runtime);
  append_json(runtime, out.raw(), subject, json_style(runtime, arguments), runtime.max_text());
  return out.finish();
}

}  // namespace kvgate::jinja
