// Where the configuration says that a request's session id, priority and the like are, and what is found there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "http/head.hpp"
#include "kvgate/route_context.hpp"
#include "openai/request_view.hpp"
#include "routing/options.hpp"

namespace kvgate::proxy {

/// The value of the first `name=value` in the query of a target, as it stands there.
std::optional<std::string_view> query_value(std::string_view path_and_query, std::string_view name);

/// Immutable; one serves all workers.
class KeyReader {
 public:
  explicit KeyReader(routing::Options const& options);

  /// The JSON fields that the request parser is to look for, in this order.
  std::span<std::string const> json_fields() const noexcept { return fields_; }

  /// Views into the head, the target and the body; what is not there or not what it should be is left out.
  RequestKeys read(http::RequestHead const& head, std::string_view path_and_query, openai::RequestView const& view) const;

 private:
  enum class From { header, cookie, json };
  struct Place {
    From from;
    std::string name;
    std::size_t field = 0;   ///< of fields_
    bool secret = false;     ///< credentials stand there
  };

  Place place(std::string_view text);
  std::size_t field(std::string_view name);
  std::optional<std::string_view> at(Place const& place, http::RequestHead const& head,
                                     openai::RequestView const& view) const;

  std::vector<std::string> fields_;
  std::vector<Place> session_, priority_;
  std::string subset_header_;
  bool pin_ = false;
};

}  // namespace kvgate::proxy
