// The fleet at one moment: an immutable snapshot that workers read without locks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fleet/endpoint.hpp"
#include "openai/models.hpp"

namespace kvgate::fleet {

/// One model on one endpoint. `last_pick` outlives snapshots, so that round robin stays fair over refreshes.
struct ServedModel {
  openai::ModelCard card;
  std::shared_ptr<std::atomic<std::uint64_t>> last_pick;
};

struct Member {
  std::shared_ptr<Endpoint> endpoint;
  std::vector<std::shared_ptr<ServedModel const>> models;
  std::shared_ptr<ServedModel const> any;   ///< stands for requests that name no model: they take turns as well
  bool models_known = false;       ///< told by the engine or by configuration at least once
};

struct ModelEntry {
  std::string id;
  std::uint32_t metrics_id = 0;
  bool base = true;                ///< no LoRA adapter: has no parent anywhere
  std::vector<std::shared_ptr<ServedModel const>> by_member;   ///< one per member; null where it is not served
};

struct EndpointSet {
  std::vector<Member> members;
  std::vector<ModelEntry> models;  ///< in the order in which they were first seen; configured ones last

  /// Null when nobody knows the id.
  ModelEntry const* find_model(std::string_view id) const;
  /// The one base model that is served; null when there is none or more than one.
  ModelEntry const* only_base_model() const;
  /// An engine that is not declared down has never told its models: "not found" would be a guess.
  bool joining() const;

 private:
  friend class Registry;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;
};

}  // namespace kvgate::fleet
