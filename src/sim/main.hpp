// `kvgate sim`: simulated engines as a process.
#pragma once

namespace kvgate::sim {

/// Serves until SIGINT or SIGTERM, then returns 0; 2 for a command line that is not understood, 1 when a port cannot be
/// bound. argv[0] is skipped. Call it from the main thread before any other thread exists: it blocks the two signals.
int sim_main(int argc, char const* const* argv);

}  // namespace kvgate::sim
