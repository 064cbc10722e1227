// The parser's view of the tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/thrown.hpp"
#include "text/jinja/token.hpp"

namespace kvgate::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Token const& current() const noexcept { return tokens_[at_]; }
  Token const& look() const noexcept { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  int line() const noexcept { return current().line; }

  /// The current token, and one token ahead; the end stays.
  Token const& next() noexcept {
    Token const& token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }

  bool skip_op(std::string_view op) { return skip_if(current().is_op(op)); }
  bool skip_name(std::string_view name) { return skip_if(current().is_name(name)); }

  void expect_op(std::string_view op) {
    if (!skip_op(op)) unexpected(op);
  }
  Token const& expect(TokenType type, std::string_view what) {
    if (current().type != type) unexpected(what);
    return next();
  }

 private:
  bool skip_if(bool matches) {
    if (matches) next();
    return matches;
  }

  [[noreturn]] void unexpected(std::string_view expected) const {
    if (current().type == TokenType::end) {
      syntax_error("unexpected end of template, expected " + quoted(expected) + ".", line());
    }
    syntax_error("expected token " + quoted(expected) + ", got " + quoted(describe(current())), line());
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace kvgate::jinja
