#pragma once

#include <string>
#include <string_view>

namespace kvgate::sim {

/// RFC 4648, padded.
std::string base64_encode(std::string_view bytes);

}  // namespace kvgate::sim
