// `kvgate health [URL]`: for container health checks.
#pragma once

#include "kvgate/engine_spec.hpp"

namespace kvgate::server {

/// Asks the URL (its path is in `base`); prints one line and returns 0 when the answer is 200, else 1.
int health_command(EngineUrl const& url);

}  // namespace kvgate::server
