// `kvgate tokenize`: texts on standard input, token ids on standard output; for people who debug mismatches.
#pragma once

#include <string>
#include <vector>

namespace kvgate::text {

/// `args` is all that follows `tokenize`. 0; 1 if the tokenizer or a file cannot be used; 2 for a command line that is
/// not understood. A line that cannot be encoded is answered with an error of its own and changes nothing else.
int tokenize_main(std::vector<std::string> args);

}  // namespace kvgate::text
