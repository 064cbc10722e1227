// What the lexer hands to the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/jinja/value.hpp"

namespace kvgate::jinja {

enum class TokenType : std::uint8_t {
  data,
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  string,
  number,  ///< integer or float
  op,
  end,
};

struct Token {
  TokenType type;
  int line;
  std::string_view text;  ///< data, name or operator as written; a string decoded; "" for the others
  Value number;           ///< of a number

  bool is_op(std::string_view op) const noexcept { return type == TokenType::op && text == op; }
  bool is_name(std::string_view name) const noexcept { return type == TokenType::name && text == name; }
};

/// As in Jinja's messages: "end of statement block", "string", the operator or name itself, ...
std::string describe(Token const& token);

}  // namespace kvgate::jinja
