// One factory per filter; each filter is one file of the same name in this folder.
#pragma once

#include <memory>

#include "kvgate/endpoint_filter.hpp"
#include "routing/options.hpp"

namespace kvgate::routing {

std::unique_ptr<EndpointFilter const> make_model();
std::unique_ptr<EndpointFilter const> make_healthy();
std::unique_ptr<EndpointFilter const> make_capacity();
std::unique_ptr<EndpointFilter const> make_overload(OverloadOptions const& options);
std::unique_ptr<EndpointFilter const> make_num_queueing_requests(QueueingOptions const& options);
std::unique_ptr<EndpointFilter const> make_max_model_len();
std::unique_ptr<EndpointFilter const> make_label(LabelOptions const& options);
std::unique_ptr<EndpointFilter const> make_lora_capacity();
std::unique_ptr<EndpointFilter const> make_not_sleeping();
/// The engine that `?id=` names, when it names one (routing.pin_by_id).
std::unique_ptr<EndpointFilter const> make_pinned();

}  // namespace kvgate::routing
