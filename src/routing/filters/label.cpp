// label: keeps the engines that have all the labels that the configuration asks for and all that the request's header
// asks for (name=value,name=value). Nobody left: 503, since a tenant that is bound to a pool must not spill into
// another; a header that cannot be read matches nobody for the same reason.
#include <algorithm>

#include "fleet/endpoint.hpp"
#include "openai/header_params.hpp"
#include "routing/filters/filters.hpp"

namespace kvgate::routing {
namespace {

bool has_label(Candidate const& c, std::string_view name, std::string_view value) {
  return std::ranges::any_of(c.endpoint->spec().labels,
                             [&](auto const& label) { return label.first == name && label.second == value; });
}

/// `wanted` is one name=value.
bool matches(Candidate const& c, std::string_view wanted) {
  auto const equals = wanted.find('=');
  if (equals == wanted.npos) return false;
  return has_label(c, openai::trim_blanks(wanted.substr(0, equals)), openai::trim_blanks(wanted.substr(equals + 1)));
}

class LabelFilter final : public EndpointFilter {
 public:
  explicit LabelFilter(LabelOptions const& options) : match_(options.match) {}

  std::string_view name() const noexcept override { return "label"; }
  OnEmpty on_empty() const noexcept override { return OnEmpty::refuse; }

  void apply(RouteContext const& context, Shortlist& shortlist) const override {
    for (auto const& [name, value] : match_)
      shortlist.keep_if([&](Candidate const& c) { return has_label(c, name, value); });
    if (!context.keys.subset.empty()) keep_subset(context.keys.subset, shortlist);
  }

 private:
  static void keep_subset(std::string_view subset, Shortlist& shortlist) {
    for (std::size_t from = 0; from <= subset.size();) {
      auto const comma = std::min(subset.find(',', from), subset.size());
      auto const wanted = subset.substr(from, comma - from);
      shortlist.keep_if([&](Candidate const& c) { return matches(c, wanted); });
      from = comma + 1;
    }
  }

  std::map<std::string, std::string> match_;
};

}  // namespace

std::unique_ptr<EndpointFilter const> make_label(LabelOptions const& options) {
  return std::make_unique<LabelFilter>(options);
}

}  // namespace kvgate::routing
