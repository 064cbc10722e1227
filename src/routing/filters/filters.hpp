// One factory per filter; each filter is one file of the same name in this folder.
#pragma once

#include <memory>

#include "kvgate/endpoint_filter.hpp"

namespace kvgate::routing {

std::unique_ptr<EndpointFilter const> make_model();
std::unique_ptr<EndpointFilter const> make_healthy();
std::unique_ptr<EndpointFilter const> make_capacity();

}  // namespace kvgate::routing
