// The fields of a multipart/form-data body.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvgate::sim {

/// Name and content of each part, in their order; pieces of `body`. Empty when there is no boundary; a broken part is
/// left out.
std::vector<std::pair<std::string, std::string_view>> parse_multipart(std::string_view content_type,
                                                                      std::string_view body);

}  // namespace kvgate::sim
