#include "proxy/request_keys.hpp"

#include <algorithm>
#include <charconv>

#include "openai/header_params.hpp"

#include "base/ascii.hpp"

namespace kvgate::proxy {
namespace {

/// The value of the first `name=value` between separators.
std::optional<std::string_view> pair_value(std::string_view text, char separator, std::string_view name) {
  while (!text.empty()) {
    auto const end = std::min(text.find(separator), text.size());
    auto const pair = openai::trim_blanks(text.substr(0, end));
    auto const equals = pair.find('=');
    if (equals != std::string_view::npos && openai::trim_blanks(pair.substr(0, equals)) == name)
      return openai::trim_blanks(pair.substr(equals + 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::optional<std::string_view> cookie(http::RequestHead const& head, std::string_view name) {
  auto const field = head.fields.find("cookie");
  return field ? pair_value(*field, ';', name) : std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool holds_credentials(std::string_view header) {
  constexpr std::string_view kHeaders[] = {"authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"};
  return std::ranges::any_of(kHeaders, [&](std::string_view one) { return iequals(one, header); });
}

bool uses(routing::Options const& options, std::string_view policy) {
  auto const in = [&](std::vector<std::string> const& chain) { return std::ranges::find(chain, policy) != chain.end(); };
  return in(options.policies) || std::ranges::any_of(options.models, [&](auto const& model) {
           return model.second.policies && in(*model.second.policies);
         });
}

}  // namespace

std::optional<std::string_view> query_value(std::string_view path_and_query, std::string_view name) {
  auto const query = path_and_query.find('?');
  if (query == std::string_view::npos) return std::nullopt;
  return pair_value(path_and_query.substr(query + 1), '&', name);
}

KeyReader::KeyReader(routing::Options const& options) : subset_header_(options.label.header), pin_(options.pin_by_id) {
  for (auto const& key : options.session.keys) session_.push_back(place(key));
  if (!uses(options, "priority")) return;
  if (!options.priority.header.empty()) priority_.push_back({From::header, options.priority.header});
  if (!options.priority.field.empty()) priority_.push_back({From::json, {}, field(options.priority.field)});
}

KeyReader::Place KeyReader::place(std::string_view text) {
  auto const colon = text.find(':');
  auto const kind = text.substr(0, colon);
  std::string name(text.substr(colon + 1));
  if (kind == "json") return {From::json, {}, field(name)};
  bool const is_cookie = kind == "cookie";
  bool const secret = is_cookie || holds_credentials(name);
  return {is_cookie ? From::cookie : From::header, std::move(name), 0, secret};
}

std::size_t KeyReader::field(std::string_view name) {
  auto const known = std::ranges::find(fields_, name);
  if (known != fields_.end()) return static_cast<std::size_t>(known - fields_.begin());
  fields_.emplace_back(name);
  return fields_.size() - 1;
}

std::optional<std::string_view> KeyReader::at(Place const& place, http::RequestHead const& head,
                                              openai::RequestView const& view) const {
  switch (place.from) {
    case From::header: return head.fields.find(place.name);
    case From::cookie: return cookie(head, place.name);
    case From::json: return view.extra[place.field];
  }
  return std::nullopt;
}

RequestKeys KeyReader::read(http::RequestHead const& head, std::string_view path_and_query,
                            openai::RequestView const& view) const {
  RequestKeys keys;
  for (auto const& place : session_) {
    auto const value = at(place, head, view);
    if (!value || value->empty()) continue;
    keys.session = value;
    keys.session_secret = place.secret;
    break;
  }
  for (auto const& place : priority_) {
    auto const value = at(place, head, view);
    if (value) keys.priority = whole_number(*value);
    if (keys.priority) break;
  }
  if (!subset_header_.empty()) keys.subset = head.fields.find(subset_header_).value_or("");
  if (pin_) keys.pin = query_value(path_and_query, "id").value_or("");
  return keys;
}

}  // namespace kvgate::proxy
