// Where the tokenizer of a model lies.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kvgate::tokens {

/// Where to search; empty: nowhere.
struct Places {
  std::string dir;       ///< <dir>/<model id>
  std::string hf_cache;  ///< <hf_cache>/models--<org>--<name>/snapshots/<revision>
};

/// The folder with the tokenizer of the model, by its id as engines tell it (`org/name`, or a path of which the end is
/// that). Nothing outside the places is looked at, whatever the id says. Of several revisions in a cache the one that
/// refs/main names, else the newest. Reads the file system.
std::optional<std::string> find_folder(Places const& places, std::string_view model_id);

}  // namespace kvgate::tokens
