// What a decision makes the gate believe of the chosen engine, and what the end of the request teaches it. Thread-safe.
#pragma once

#include "kvgate/decision.hpp"
#include "kvgate/route_context.hpp"

namespace kvgate::routing {

/// The chosen engine is about to have the prompt cached: whoever asks next shall know.
void believe(Decision& decision, PromptFacts& prompt);

/// Corrects it: a prompt that was never computed is forgotten, cached tokens that the engine reports set its capacity
/// right, the time to the first byte tells how fast it computes.
void learn(Decision const& decision, Outcome const& outcome);

}  // namespace kvgate::routing
