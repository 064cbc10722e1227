#include "text/jinja/text_methods.hpp"

#include <algorithm>
#include <string>

#include "text/jinja/brace_format.hpp"
#include "text/jinja/code_points.hpp"
#include "text/jinja/dict.hpp"
#include "text/jinja/iteration.hpp"
#include "text/jinja/markup.hpp"
#include "text/jinja/object.hpp"
#include "text/jinja/runtime.hpp"
#include "text/jinja/text_functions.hpp"

namespace kvgate::jinja {
namespace {

using Strip = std::string_view (*)(std::string_view) noexcept;
using StripSet = std::string_view (*)(std::string_view, std::string_view) noexcept;

Value stripped(Runtime& runtime, Value const& self, Arguments const& arguments, std::pair<Strip, StripSet> how) {
  Bound const bound(arguments, {"strip", {"chars"}, 0, 1});
  if (!bound[0] || bound[0]->is_none()) return text_like(self, how.first(self.text()));
  std::string_view const set = text_argument(*bound[0], "strip");
  std::string_view const result = how.second(self.text(), set);
  runtime.spend_bytes((self.text().size() - result.size()) * (1 + set.size() / 16));
  return text_like(self, result);
}

std::string_view strip_both(std::string_view text, std::string_view set) noexcept {
  return strip_left(strip_right(text, set), set);
}

// rsplit: as split, from the right.
std::vector<std::string_view> rsplit_space(std::string_view text, std::int64_t most) {
  std::vector<std::string_view> parts;
  for (text = strip_right(text); !text.empty(); text = strip_right(text)) {
    if (most >= 0 && static_cast<std::int64_t>(parts.size()) == most) {
      parts.push_back(strip_left(text));
      break;
    }
    std::size_t begin = text.size();
    while (begin > 0 && !is_space(code_point_at(text, previous(text, begin)))) begin = previous(text, begin);
    parts.push_back(text.substr(begin));
    text = text.substr(0, begin);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string_view> rsplit_at(std::string_view text, std::string_view separator, std::int64_t most) {
  std::vector<std::string_view> parts;
  while (most < 0 || static_cast<std::int64_t>(parts.size()) < most) {
    std::size_t const at = text.rfind(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(text.substr(at + separator.size()));
    text = text.substr(0, at);
  }
  parts.push_back(text);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

struct Splitters {
  std::vector<std::string_view> (*space)(std::string_view, std::int64_t);
  std::vector<std::string_view> (*at)(std::string_view, std::string_view, std::int64_t);
};

Value split_with(Runtime& runtime, Value const& self, Arguments const& arguments, Splitters splitters) {
  Bound const bound(arguments, {"split", {"sep", "maxsplit"}});
  std::int64_t const most = bound[1] ? int_argument(*bound[1], "split") : -1;
  runtime.spend_bytes(2 * self.text().size());
  if (!bound[0] || bound[0]->is_none()) return list_of_texts(runtime, self, splitters.space(self.text(), most));
  std::string_view const separator = text_argument(*bound[0], "split");
  if (separator.empty()) value_error("empty separator");
  return list_of_texts(runtime, self, splitters.at(self.text(), separator, most));
}

Value partition_with(Runtime& runtime, Value const& self, Arguments const& arguments, bool backward) {
  Bound const bound(arguments, {"partition", {"sep"}, 1, 1});
  std::string_view const separator = text_argument(*bound[0], "partition");
  if (separator.empty()) value_error("empty separator");
  std::string_view const text = self.text();
  runtime.spend_bytes(text.size());
  std::size_t const at = backward ? text.rfind(separator) : text.find(separator);
  Value const nothing = text_like(self, {});
  if (at == std::string_view::npos) {
    return backward ? runtime.tuple({nothing, nothing, self}) : runtime.tuple({self, nothing, nothing});
  }
  return runtime.tuple({text_like(self, text.substr(0, at)), text_like(self, separator),
                        text_like(self, text.substr(at + separator.size()))});
}

Value justified(Runtime& runtime, Value const& self, Arguments const& arguments, char side) {
  Bound const bound(arguments, {"just", {"width", "fillchar"}, 1, 2});
  std::int64_t const width = int_argument(*bound[0], "just");
  std::string_view fill = bound[1] ? text_argument(*bound[1], "just") : " ";
  if (length(fill) != 1) type_error("The fill character must be exactly one character long");
  if (self.is(Kind::markup) && bound[1] && length(escape(runtime, *bound[1]).text()) != 1) {
    type_error("The fill character must be exactly one character long");
  }
  runtime.spend_bytes(self.text().size());
  if (side == '^') return centered(runtime, self, width, fill);
  auto const missing = width - static_cast<std::int64_t>(length(self.text()));
  if (missing <= 0) return self;
  runtime.spend(static_cast<std::uint64_t>(missing) / 64);
  TextBuilder out(runtime);
  if (side == '>') out.repeat(fill, missing);
  out.append(self.text());
  if (side == '<') out.repeat(fill, missing);
  return out.finish(self.is(Kind::markup));
}

}  // namespace

Value text_strip(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return stripped(runtime, self, arguments, {strip, strip_both});
}
Value text_lstrip(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return stripped(runtime, self, arguments, {strip_left, strip_left});
}
Value text_rstrip(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return stripped(runtime, self, arguments, {strip_right, strip_right});
}

Value text_split(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return split_with(runtime, self, arguments, {split_space, split_at});
}
Value text_rsplit(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return split_with(runtime, self, arguments, {rsplit_space, rsplit_at});
}

Value text_splitlines(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"splitlines", {"keepends"}});
  runtime.spend_bytes(2 * self.text().size());
  bool const keep = bound[0] && int_argument(*bound[0], "splitlines") != 0;
  return list_of_texts(runtime, self, split_lines(self.text(), keep));
}

Value text_partition(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return partition_with(runtime, self, arguments, false);
}
Value text_rpartition(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return partition_with(runtime, self, arguments, true);
}

Value text_replace(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"replace", {"old", "new", "count"}, 2, 3});
  std::string_view const from = text_argument(*bound[0], "replace");
  text_argument(*bound[1], "replace");
  std::string_view const to = self.is(Kind::markup) ? escape(runtime, *bound[1]).text() : bound[1]->text();
  std::int64_t const most = bound[2] ? int_argument(*bound[2], "replace") : -1;
  return text_like(self, replace(runtime, self.text(), from, to, most));
}

Value text_removeprefix(Runtime&, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"removeprefix", {"prefix"}, 1, 1});
  std::string_view const prefix = text_argument(*bound[0], "removeprefix");
  return text_like(self, self.text().substr(self.text().starts_with(prefix) ? prefix.size() : 0));
}
Value text_removesuffix(Runtime&, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"removesuffix", {"suffix"}, 1, 1});
  std::string_view const suffix = text_argument(*bound[0], "removesuffix");
  std::size_t const cut = self.text().ends_with(suffix) ? suffix.size() : 0;
  return text_like(self, self.text().substr(0, self.text().size() - cut));
}

Value text_join(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"join", {"iterable"}, 1, 1});
  if (!iterable(*bound[0])) type_error("can only join an iterable");
  TextBuilder out(runtime);
  Iteration iteration(*bound[0]);
  std::int64_t index = 0;
  for (Value item; iteration.next(runtime, item); ++index) {
    if (index > 0) out.append(self.text());
    if (self.is(Kind::markup)) item = escape(runtime, item);
    if (!item.is_string()) {
      type_error("sequence item " + std::to_string(index) + ": expected str instance, " + std::string(type_name(item)) +
                 " found");
    }
    out.append(item.text());
  }
  return out.finish(self.is(Kind::markup));
}

Value text_center(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return justified(runtime, self, arguments, '^');
}
Value text_ljust(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return justified(runtime, self, arguments, '<');
}
Value text_rjust(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return justified(runtime, self, arguments, '>');
}

Value text_zfill(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"zfill", {"width"}, 1, 1});
  std::string_view const text = self.text();
  auto const missing = int_argument(*bound[0], "zfill") - static_cast<std::int64_t>(length(text));
  if (missing <= 0) return self;
  runtime.spend(static_cast<std::uint64_t>(missing) / 64);
  bool const sign = text.starts_with('+') || text.starts_with('-');
  TextBuilder out(runtime);
  out.append(text.substr(0, sign ? 1 : 0));
  out.repeat("0", missing);
  out.append(text.substr(sign ? 1 : 0));
  return out.finish(self.is(Kind::markup));
}

Value text_expandtabs(Runtime& runtime, Value const& self, Arguments const& arguments) {
  Bound const bound(arguments, {"expandtabs", {"tabsize"}});
  std::int64_t const size = bound[0] ? int_argument(*bound[0], "expandtabs") : 8;
  std::string_view const text = self.text();
  runtime.spend_bytes(8 * text.size());
  TextBuilder out(runtime);
  std::int64_t column = 0;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) {
    if (text[at] == '\t') {
      std::int64_t const spaces = size > 0 ? size - column % size : 0;
      out.repeat(" ", spaces);
      column += spaces;
      continue;
    }
    out.append(text.substr(at, width_at(text, at)));
    column = text[at] == '\n' || text[at] == '\r' ? 0 : column + 1;
  }
  return out.finish(self.is(Kind::markup));
}

Value text_format(Runtime& runtime, Value const& self, Arguments const& arguments) {
  return brace_format(runtime, self, arguments);
}

Value text_format_map(Runtime& runtime, Value const& self, Arguments const& arguments) {
  if (!arguments.keywords.empty()) type_error("format_map() takes no keyword arguments");
  if (arguments.positional.size() != 1) {
    type_error("format_map() takes exactly one argument (" + std::to_string(arguments.positional.size()) + " given)");
  }
  Value const& map = arguments.positional.front();
  if (!map.is_dict()) unsupported("format_map() of something that is no dict is not supported");
  std::vector<Keyword> keywords;
  for (auto const& [key, value] : map.dict().entries()) {
    if (key.is_string()) keywords.push_back({key.text(), value});
  }
  runtime.spend(keywords.size());
  return brace_format(runtime, self, {{}, keywords});
}

}  // namespace kvgate::jinja
