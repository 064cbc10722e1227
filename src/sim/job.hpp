// A request that passed validation: what is to be computed, and how the answer is to look.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json.hpp"
#include "sim/message.hpp"
#include "sim/state.hpp"
#include "sim/tokens.hpp"

namespace kvgate::sim {

/// A value, or the error answer.
template <class T>
using Parsed = boost::system::result<T, Reply>;

struct Job {
  std::string id;
  std::string model;  ///< the name that the client used
  std::int64_t created = 0;
  Tokens prompt;
  std::vector<std::uint64_t> hashes;  ///< of its full blocks
  std::uint32_t tokens = 0;           ///< length of the answer
  bool limited = false;               ///< it ends by the request's limit, not of itself
  std::uint32_t choices = 1;
  bool stream = false;
  bool include_usage = false;
  bool continuous_usage = false;
  bool background = false;
  bool store = false;  ///< GET /v1/responses/{id} is to find it
};

/// The JSON object in the body. Errors: 400 for another content type, for what is no JSON and for what is no object.
Parsed<Json> parse_body(Request const& request);

/// Whether a model of this name is served; no name at all is the first model.
bool serves(SimOptions const& options, std::string_view model);

/// "The model `x` does not exist. Valid aliases: a, b."
std::string unknown_model(SimOptions const& options, std::string_view model);

/// The part common to all: model, stream, prompt and its hashes. The id is X-Request-Id or a unique one.
/// Errors: 404 for an unknown model, 400 for a prompt that is too long.
Parsed<Job> base_job(EngineState& engine, Request const& request, Json const& body, Tokens prompt);

/// Puts `prefix` in front of the id.
Parsed<Job> with_prefix(Parsed<Job> job, std::string_view prefix);

Parsed<Job> chat_job(EngineState& engine, Request const& request);
Parsed<Job> completion_job(EngineState& engine, Request const& request);
Parsed<Job> responses_job(EngineState& engine, Request const& request);
Parsed<Job> messages_job(EngineState& engine, Request const& request);
Parsed<Job> transcription_job(EngineState& engine, Request const& request);

}  // namespace kvgate::sim
