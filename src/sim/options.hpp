// What one simulated engine is told. Plain data; the defaults make a small, fast engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kvgate::sim {

struct LoraAdapter {
  std::string id;      ///< the model name that clients ask for
  std::string parent;  ///< the base model it hangs on; empty: the first of SimOptions::models
};

struct SimOptions {
  std::string host = "127.0.0.1";                   ///< an address literal
  std::uint16_t port = 0;                           ///< 0: any free port
  std::string name;                                 ///< when not empty: sent as `x-sim-engine` with every response
  std::vector<std::string> models = {"sim-model"};  ///< names of the one base model; the first labels metrics
  std::vector<LoraAdapter> loras;
  std::string api_key;  ///< when not empty: /v1 and /v2 answer 401 without it

  std::chrono::microseconds prefill_base{2000};     ///< of every prompt, cached or not
  std::chrono::microseconds prefill_per_block{50};  ///< for each block of the prompt that is not cached
  std::chrono::microseconds inter_token{5000};
  std::uint32_t tokens = 32;                   ///< length of an answer whose request sets no limit
  std::uint32_t max_num_seqs = 256;            ///< running at most; the rest waits
  std::uint32_t max_num_queued_reqs = 0;       ///< waiting at most, more are answered 503; 0: no limit
  std::uint32_t max_model_len = 131072;        ///< tokens
  std::uint32_t block_size = 16;               ///< tokens
  std::uint32_t num_gpu_blocks = 8192;         ///< what the prefix cache holds
  std::chrono::milliseconds keep_alive{5000};  ///< an idle connection is closed after this, as uvicorn does

  bool dev_mode = false;            ///< serve /sleep, /wake_up, /is_sleeping, /reset_prefix_cache
  bool request_id_headers = false;  ///< echo or make `x-request-id`, as --enable-request-id-headers does
};

}  // namespace kvgate::sim
