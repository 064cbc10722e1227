// `kvgate tokenize --bench FILE`
#pragma once

#include <string>

#include "text/tokenizer/tokenizer.hpp"

namespace kvgate::text {

/// Encodes each `{"text": ...}` line of a file on one thread, twice: cold, when all texts are new, and warm. The
/// report, or an error that names the file or its line.
Result<std::string> bench_report(Tokenizer const& tokenizer, std::string const& file);

}  // namespace kvgate::text
