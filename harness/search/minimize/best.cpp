// SPDX-License-Identifier: Apache-2.0
#include "harness/search/minimize/best.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "harness/core/world.h"

namespace harness::minimizing {
namespace {

bool same_bug(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.object_kind == b.object_kind && a.birth_site == b.birth_site &&
         a.death_site == b.death_site && a.use_site == b.use_site;
}

bool same_question(const Decision& a, const Decision& b) {
  return a.activation == b.activation && a.site_tag == b.site_tag && a.nth == b.nth;
}

}  // namespace

// ---- running ------------------------------------------------------------------------------------

bool Best::spent() const {
  if (run_count_ >= limits_.run_limit || endless_count_ >= limits_.endless_limit) return true;
  if (limits_.stop != nullptr && limits_.stop->load(std::memory_order_relaxed)) return true;
  return limits_.second_limit != 0 && seconds() >= limits_.second_limit;
}

double Best::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

Limits Best::limits_left(std::uint64_t run_limit) const {
  Limits left = limits_;
  left.run_limit = std::min(run_limit, limits_.run_limit - std::min(limits_.run_limit, run_count_));
  left.endless_limit -= std::min(limits_.endless_limit, endless_count_);
  constexpr double kNoTime = 1e-9;  // 0 would mean no limit.
  if (limits_.second_limit != 0)
    left.second_limit = std::max(kNoTime, limits_.second_limit - seconds());
  return left;
}

const Outcome& Best::run(Strategy& strategy) {
  ++run_count_;
  const Outcome& outcome = runner_.run(trial_, strategy);
  endless_count_ += outcome.endless;
  return outcome;
}

const Fault* Best::shown(const Outcome& outcome) const {
  for (std::size_t i = 0; i < outcome.faults.size(); ++i)
    if (outcome.windows[i] == window_ && same_bug(outcome.faults[i], target_))
      return &outcome.faults[i];
  return nullptr;
}

bool Best::adopt(const Outcome& outcome) {
  const Fault* fault = shown(outcome);
  if (fault == nullptr || outcome.tape.size() > tape_.size()) return false;
  if (!(minimizing::measure(outcome.tape) < measure_)) return false;
  keep(outcome, *fault);
  return true;
}

void Best::keep(const Outcome& outcome, const Fault& fault) {
  tape_ = outcome.tape;
  measure_ = minimizing::measure(tape_);
  trace_ = runner_.trace_hash();
  is_replayed_ = false;
  causes_.assign(runner_.history().activations());
  causal_slice_ = find_causal_slice(fault);
}

bool Best::aim(const Aim& aim) {
  replay_.assign(trial_.tape);
  const Outcome& outcome = run(replay_);
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    const Fault& fault = outcome.faults[i];
    if (aim.window.value_or(outcome.windows[i]) != outcome.windows[i]) continue;
    if (fault.signature() != aim.signature) continue;
    target_ = fault;
    window_ = outcome.windows[i];
    keep(outcome, fault);
    return true;
  }
  return false;
}

bool Best::is_deterministic() {
  if (is_replayed_) return true;
  Case best = trial_;
  best.tape = tape_;
  endless_count_ += runner_.run(best).endless;
  return is_replayed_ = runner_.trace_hash() == trace_;
}

bool Best::improve(const Tape& tape) {
  if (tape == tape_ || spent()) return false;
  replay_.assign(tape);
  return adopt(run(replay_));
}

const Case* Best::sample(const Tape& program, std::uint64_t seed) {
  if (spent()) return nullptr;
  sample_.assign(program, seed);
  const Outcome& outcome = run(sample_);
  if (shown(outcome) == nullptr) return nullptr;
  sampled_ = trial_;
  sampled_.tape = outcome.tape;
  return &sampled_;
}

// ---- the causal slice ---------------------------------------------------------------------------

std::set<Name> Best::find_causal_slice(const Fault& fault) const {
  std::unordered_map<Name, const Life*> lives;
  for (const Life& life : runner_.world().ledger.lives()) lives.emplace(life.name, &life);
  std::set<Name> slots{causes_.slot_of(fault.activation)};
  const auto add_object = [&](Name name) {
    const auto life = lives.find(name);
    return life != lives.end() &&
           slots.insert(causes_.slot_of(life->second->birth_activation)).second;
  };
  for (const Name name : {fault.object, fault.recycler}) {
    add_object(name);
    if (const auto life = lives.find(name); life != lives.end() && !life->second->alive)
      slots.insert(causes_.slot_of(life->second->death_activation));
  }
  bool grew = true;
  while (std::exchange(grew, false))
    for (const Event& event : runner_.history().events())
      if (slots.contains(causes_.slot_of(event.activation))) grew |= add_object(event.object);
  return slots;
}

// ---- sets of choices --------------------------------------------------------------------------

Found Best::improve_by_sets(const Tape& base, std::uint32_t size, std::uint64_t run_limit) {
  runs_left_ = run_limit;
  return search(base, size, 0);
}

// Searches like Deviations, but in the order of likelihood, so that a search that is cut short has
// at least tried the likely sets. `skip_count` candidates came up before the last choice of the
// set.
Found Best::search(const Tape& tape, std::uint32_t size, std::size_t skip_count) {
  if (spent() || runs_left_ == 0) return Found::cut_short;
  --runs_left_;
  recorder_.assign(tape, size > 0 ? 1 : 0);
  const Outcome& outcome = run(recorder_);
  if (size == 0) return adopt(outcome) ? Found::better : Found::nothing;
  const std::vector<Decision> candidates = recorder_.candidates();
  Tape larger = tape;
  larger.emplace_back();
  for (const std::size_t i : likeliest_first(candidates, skip_count)) {
    larger.back() = candidates[i];
    std::size_t first = i;  // The first option of this choice.
    while (first > 0 && same_question(candidates[first - 1], candidates[i])) --first;
    const Found found = search(larger, size - 1, first);
    if (found != Found::nothing) return found;
  }
  return Found::nothing;
}

std::vector<std::size_t> Best::likeliest_first(const std::vector<Decision>& candidates,
                                               std::size_t skip_count) const {
  std::vector<std::pair<int, std::size_t>> ranks;
  for (std::size_t i = skip_count; i < candidates.size(); ++i)
    ranks.emplace_back(unlikeliness(candidates[i]), i);
  std::sort(ranks.begin(), ranks.end());
  std::vector<std::size_t> order;
  order.reserve(ranks.size());
  for (const auto& [rank, index] : ranks) order.push_back(index);
  return order;
}

// Likely: the same option as a harmful choice, a little earlier or later, in the causal slice.
int Best::unlikeliness(const Decision& decision) const {
  const bool known = std::any_of(tape_.begin(), tape_.end(), [&](const Decision& other) {
    return other.site_tag == decision.site_tag && other.value == decision.value;
  });
  return 2 * !known + !causal_slice_.contains(causes_.slot_of(decision.activation));
}

}  // namespace harness::minimizing
