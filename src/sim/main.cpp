#include "sim/main.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "sim/engine.hpp"

namespace kvgate::sim {
namespace {

struct CommandLine {
  SimOptions options;
  std::uint16_t count = 1;
  double ttft_ms = 2;
  double prefill_us = 50;
  double itl_ms = 5;
  std::uint32_t keep_alive_ms = 5000;
  std::vector<std::string> loras;
};

void declare_serving(CLI::App& app, CommandLine& line) {
  auto& options = line.options;
  app.add_option("--host", options.host, "Address to listen on")->capture_default_str();
  app.add_option("--port", options.port, "First port; 0: any free one")->capture_default_str();
  app.add_option("--count", line.count, "Engines, on consecutive ports")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--model", options.models, "Served model names")->delimiter(',')->capture_default_str();
  app.add_option("--lora", line.loras, "LoRA adapters, as ID or ID:PARENT")->delimiter(',');
  app.add_option("--api-key", options.api_key, "Key that /v1 and /v2 ask for");
  app.add_option("--name", options.name, "Sent as x-sim-engine; of several engines with -0, -1, ... appended");
  app.add_option("--keep-alive-ms", line.keep_alive_ms, "Idle connections are closed after this")
      ->capture_default_str();
  app.add_flag("--dev-mode", options.dev_mode, "Serve /sleep, /wake_up, /is_sleeping, /reset_prefix_cache");
  app.add_flag("--enable-request-id-headers", options.request_id_headers, "Send x-request-id");
}

void declare_model(CLI::App& app, CommandLine& line) {
  auto& options = line.options;
  auto const number = [&](char const* flag, auto& value, char const* help) {
    app.add_option(flag, value, help)->capture_default_str()->check(CLI::NonNegativeNumber);
  };
  number("--ttft-ms", line.ttft_ms, "Prefill time of every prompt, milliseconds");
  number("--prefill-us-per-block", line.prefill_us, "Added for each block that is not cached, microseconds");
  number("--itl-ms", line.itl_ms, "Time between tokens, milliseconds");
  number("--tokens", options.tokens, "Length of an answer without max_tokens");
  number("--max-num-seqs", options.max_num_seqs, "Requests that run at the same time");
  number("--max-num-queued-reqs", options.max_num_queued_reqs, "Requests that may wait, more get 503; 0: no limit");
  number("--max-model-len", options.max_model_len, "Longest prompt, tokens");
  number("--block-size", options.block_size, "Tokens in a block of the prefix cache");
  number("--num-gpu-blocks", options.num_gpu_blocks, "Blocks that the prefix cache holds");
}

template <class Unit>
std::chrono::microseconds to_time(double value) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::duration<double, Unit>(value));
}

void finish(CommandLine& line) {
  auto& options = line.options;
  options.prefill_base = to_time<std::milli>(line.ttft_ms);
  options.prefill_per_block = to_time<std::micro>(line.prefill_us);
  options.inter_token = to_time<std::milli>(line.itl_ms);
  options.keep_alive = std::chrono::milliseconds(line.keep_alive_ms);
  for (auto const& text : line.loras) {
    auto const colon = text.find(':');
    options.loras.push_back({text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)});
  }
}

std::vector<std::unique_ptr<SimEngine>> start(CommandLine const& line) {
  std::vector<std::unique_ptr<SimEngine>> engines;
  for (std::uint16_t i = 0; i < line.count; ++i) {
    auto options = line.options;
    if (options.port != 0) options.port = static_cast<std::uint16_t>(options.port + i);
    if (line.count > 1 && !options.name.empty()) options.name += "-" + std::to_string(i);
    engines.push_back(std::make_unique<SimEngine>(std::move(options)));
    std::printf("sim engine listening on %s model=%s\n", engines.back()->url().c_str(), line.options.models[0].c_str());
    std::fflush(stdout);
  }
  return engines;
}

/// A thousand streams need more descriptors than many systems give at first.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int serve(CommandLine const& line) {
  raise_descriptor_limit();
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGINT);
  sigaddset(&ending, SIGTERM);
  // Before the engines' threads exist, so that they inherit it and sigwait() is the only taker.
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  auto const engines = start(line);
  int signal = 0;
  sigwait(&ending, &signal);
  return 0;
}

}  // namespace

int sim_main(int argc, char const* const* argv) {
  CommandLine line;
  CLI::App app("Simulated vLLM engines: real HTTP, made-up answers at an adjustable pace.", "kvgate sim");
  declare_serving(app, line);
  declare_model(app, line);
  try {
    app.parse(argc, argv);
    finish(line);
    return serve(line);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (std::invalid_argument const& error) {
    std::fprintf(stderr, "kvgate sim: %s\n", error.what());
    return 2;
  } catch (std::exception const& error) {
    std::fprintf(stderr, "kvgate sim: %s\n", error.what());
    return 1;
  }
}

}  // namespace kvgate::sim
