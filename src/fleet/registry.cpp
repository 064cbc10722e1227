#include "fleet/registry.hpp"

#include <algorithm>
#include <ctime>

#include "base/random.hpp"
#include "prefix/block_hasher.hpp"

namespace kvgate::fleet {
namespace {

bool same_cards(std::vector<std::shared_ptr<ServedModel const>> const& served,
                std::vector<openai::ModelCard> const& cards) {
  return std::ranges::equal(served, cards, [](auto const& s, openai::ModelCard const& c) { return s->card.json == c.json; });
}

ModelEntry& entry_for(EndpointSet& set, std::unordered_map<std::string, std::size_t, std::hash<std::string>>& index,
                      std::string const& id, std::function<std::uint32_t(std::string_view)> const& model_id) {
  auto const [at, fresh] = index.try_emplace(id, set.models.size());
  if (fresh) {
    ModelEntry entry;
    entry.id = id;
    entry.metrics_id = model_id(id);
    entry.by_member.resize(set.members.size());
    set.models.push_back(std::move(entry));
  }
  return set.models[at->second];
}

}  // namespace

Registry::Registry(InternId engine_id, InternId model_id, std::uint64_t seed,
                   std::size_t prefix_memory)
    : engine_id_(std::move(engine_id)), model_id_(std::move(model_id)), seed_(seed),
      prefix_memory_(std::make_shared<prefix::Budget>(prefix_memory)),
      snapshot_(std::make_shared<EndpointSet const>()) {}

void Registry::set_engines(std::vector<EngineSpec> engines, std::vector<std::string> known_models) {
  std::lock_guard lock(mutex_);
  known_ = std::move(known_models);
  picks_.resize(engines.size());
  for (std::size_t i = 0; i < engines.size(); ++i) {
    auto& spec = engines[i];
    Member member;
    auto const names = spec.models;
    auto const url = spec.url.text;
    member.endpoint = std::make_shared<Endpoint>(EndpointId{url, 0, 1}, std::move(spec), engine_id_(url), prefix_memory_);
    member.models_known = !names.empty();
    member.any = std::make_shared<ServedModel const>(
        ServedModel{{}, std::make_shared<std::atomic<std::uint64_t>>(Random(seed_++).next() & 0xffff)});
    std::vector<openai::ModelCard> cards;
    for (auto const& name : names) cards.push_back(openai::configured_model(name, std::time(nullptr)));
    member.models = served_models(i, std::move(cards));
    members_.push_back(std::move(member));
  }
  rebuild();
}

void Registry::set_models(Endpoint const& endpoint, std::vector<openai::ModelCard> cards) {
  std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    auto& member = members_[i];
    if (member.endpoint.get() != &endpoint) continue;
    if (member.models_known && same_cards(member.models, cards)) return;
    member.models = served_models(i, std::move(cards));
    member.models_known = true;
    rebuild();
    return;
  }
}

void Registry::set_health(std::shared_ptr<Endpoint> const& endpoint, Health next, std::string_view reason) {
  auto before = endpoint->health();
  do {
    if (before == next || (next == Health::suspect && before == Health::down)) return;
  } while (!endpoint->change_health(before, next));
  // An engine that does not tell when it started may come back as another process.
  if (next == Health::down && !endpoint->stats().gauges().started) endpoint->cached_blocks().clear();
  Transition const transition{endpoint, before, next, reason};
  for (auto const& listener : listeners_) listener(transition);
}

bool Registry::set_stats(std::shared_ptr<Endpoint> const& endpoint, EngineStats stats) {
  auto const gauges = stats.gauges;
  bool const restarted = endpoint->stats().store(std::move(stats));
  if (restarted) {
    endpoint->prefill_rate().reset();
    endpoint->cached_blocks().clear();
  }
  if (gauges.kv_blocks && gauges.block_size_tokens) {
    double const tokens = static_cast<double>(*gauges.kv_blocks) * *gauges.block_size_tokens;
    endpoint->cached_blocks().set_capacity(static_cast<std::uint64_t>(tokens * endpoint->bytes_per_token()) / prefix::kBlockBytes);
  }
  return restarted;
}

std::vector<std::shared_ptr<ServedModel const>> Registry::served_models(std::size_t member,
                                                                        std::vector<openai::ModelCard> cards) {
  std::vector<std::shared_ptr<ServedModel const>> served;
  for (auto& card : cards) {
    auto& clock = picks_[member][card.id];
    // A random start below every real pick: an idle fleet must not herd on its first endpoint.
    if (!clock) clock = std::make_shared<std::atomic<std::uint64_t>>(Random(seed_++).next() & 0xffff);
    served.push_back(std::make_shared<ServedModel const>(ServedModel{std::move(card), clock}));
  }
  return served;
}

void Registry::rebuild() {
  auto set = std::make_shared<EndpointSet>();
  set->members = members_;
  std::unordered_map<std::string, std::size_t, std::hash<std::string>> index;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (auto const& served : members_[i].models) {
      auto& entry = entry_for(*set, index, served->card.id, model_id_);
      if (!entry.by_member[i]) entry.by_member[i] = served;
      if (!served->card.base()) entry.base = false;
    }
  }
  for (auto const& id : known_) entry_for(*set, index, id, model_id_);
  for (auto const& [id, at] : index) set->index_.emplace(id, at);
  snapshot_.publish(std::move(set));
}

}  // namespace kvgate::fleet
