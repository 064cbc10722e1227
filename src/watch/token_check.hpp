// Whether an engine makes the token ids that the gate expects.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kvgate::watch {

namespace net = boost::asio;

struct Context;
struct Engine;

/// Tells the table of tokenizers which models the engine serves and, unless tokenizers.check is off, compares with its
/// POST /tokenize, until cancelled: as soon as a model's tokenizer is loaded, and again when the engine has started anew.
/// An engine that does not answer is asked again every models.refresh; logs when the outcome changes, not at every try.
net::awaitable<void> watch_tokens(Context& context, Engine& engine);

/// What the engine makes of `body` as POST /tokenize; nullopt: it does not tell within tokenizers.remote_timeout.
net::awaitable<std::optional<std::vector<std::uint32_t>>> ask_tokens(Context& context, Engine& engine, std::string body);

}  // namespace kvgate::watch
