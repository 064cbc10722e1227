// How the table gets its models.
#pragma once

#include "tokens/table.hpp"

namespace kvgate::tokens {

/// Reads a folder, or the folder of a file, with everything that its prompts need. Table::Loader.
Loaded load_assets(std::string const& path, ModelOptions const& options);

}  // namespace kvgate::tokens
