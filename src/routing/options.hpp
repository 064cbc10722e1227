// What the configuration says about policies and filters: one struct each, members named as their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kvgate::routing {

struct SessionOptions {
  std::vector<std::string> keys;       ///< places in order: header:NAME, cookie:NAME, json:FIELD; none: the policy abstains
  std::string ring = "bounded";        ///< bounded | uhashring
  double bound = 1.25;                 ///< bounded: most load of an engine, relative to its share of the fleet's
};

struct PrefixOptions {
  std::string mode = "cost";           ///< cost | longest | threshold
  std::size_t min_match = 0;           ///< bytes of prompt text; a shorter match abstains
  std::size_t max_memory = 256 * 1024 * 1024;   ///< for what is believed of all engines
  double queue_weight = 0.9;           ///< cost: of prefill tokens that wait at the engine, relative to the request's own
  double copy_weight = 1.0;            ///< cost: of prefix tokens cached elsewhere, where a copy evicts something
  double fill_weight = 0.2;            ///< cost: of tokens to compute at an engine whose cache is full
  double decode_weight = 8.0;          ///< cost: prefill tokens that one request in flight stands for
  double cache_threshold = 0.3;        ///< threshold: least share of the prompt that must be cached
  std::uint32_t balance_abs_threshold = 64;     ///< threshold: imbalanced when max - min in flight is above this
  double balance_rel_threshold = 1.5;           ///< threshold: and max above this times min
};

struct SimhashOptions {
  std::size_t max_bytes = 512;         ///< how much of the prompt's beginning counts
};

struct PriorityOptions {
  std::string header = "x-request-priority";
  std::string field = "priority";      ///< of the JSON body
  std::int64_t urgent_below = 0;       ///< requests with a lower value are urgent
};

struct OverloadOptions {
  std::uint32_t max_in_flight = 0;     ///< requests from this gate; 0: no limit
  std::uint32_t max_waiting = 0;       ///< requests that the engine says wait; 0: no limit
  double max_kv_usage = 0;             ///< share of the KV cache in use; 0: no limit
  double relative = 0;                 ///< in flight, relative to the candidates' median; 0: no limit
};

struct QueueingOptions {
  double percentile = 0.9;             ///< engines that wait more than this share of the candidates are dropped
};

struct LabelOptions {
  std::map<std::string, std::string> match;   ///< labels that an engine must have
  std::string header;                  ///< request header with more of them, name=value,name=value; empty: none
};

/// Chains of one model; what is left out is as for every model.
struct ModelChain {
  std::optional<std::vector<std::string>> policies, filters;
};

struct Options {
  std::vector<std::string> policies{"session", "prefix_affinity"};
  std::vector<std::string> filters{"model", "healthy", "not_sleeping", "capacity"};
  std::map<std::string, ModelChain> models;
  bool pin_by_id = false;
  SessionOptions session;
  PrefixOptions prefix;
  SimhashOptions simhash;
  PriorityOptions priority;
  OverloadOptions overload;
  QueueingOptions queueing;
  LabelOptions label;
};

}  // namespace kvgate::routing
