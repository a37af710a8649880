// SPDX-License-Identifier: Apache-2.0
#include "harness/report/timeline/choice.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "harness/core/history/causes.h"

namespace harness::reports {
namespace {

constexpr std::uint64_t kNotReady = 600;  ///< CUDA_ERROR_NOT_READY: not a failure.

/// Relevance of events. Those with rank 0 are never drawn.
class Ranks {
 public:
  Ranks(const Telling& telling, const Teller& teller, std::span<const StoryItem> items,
        const FaultSides& sides)
      : teller_(teller), sides_(sides), causes_(activations_of(telling)) {
    const History& history = telling.world.history;
    for (const Ordering& ordering : history.orderings()) {
      ordered_.insert(&history.events()[ordering.before]);
      ordered_.insert(&history.events()[ordering.after]);
    }
    for (const std::size_t side : {sides.birth, sides.before, sides.work, sides.first_work})
      if (side != FaultSides::kNone) add_cause(items[side]);
    if (sides.fault != FaultSides::kNone) add_cause(items[sides.fault]);
    add_work(items, sides.work);
    add_work(items, sides.first_work);
    if (teller.fault() == nullptr) all_work_matters_ = true;
  }

  int of(const StoryItem& item, std::size_t index) const {
    for (const std::size_t side :
         {sides_.birth, sides_.before, sides_.fault, sides_.work, sides_.first_work})
      if (index == side) return 6;
    if (sides_.fault != FaultSides::kNone && index > sides_.fault)
      return item.fault != nullptr && item.fault->fatal ? 4 : 0;
    if (item.fault != nullptr) return 4;
    const Event& event = *item.event;
    if (is_life(event) &&
        (teller_.concerned(event.object) || (event.object == sides_.victim && event.object != 0)))
      return 5;
    if (event.kind == EventKind::op) return slots_.contains(event.activation) ? 5 : 3;
    if (is_queued(event)) return of_work(event);
    return of_the_others(event);
  }

 private:
  using Work = std::pair<Name, std::uint64_t>;
  struct HashOfWork {
    std::size_t operator()(const Work& work) const { return mix(work.first, work.second); }
  };

  static std::span<const ActivationRecord> activations_of(const Telling& telling) {
    const auto& records = telling.world.history.activations();
    return {records.data(), records.size()};
  }
  static bool is_life(const Event& event) {
    return event.kind == EventKind::birth || event.kind == EventKind::death ||
           event.kind == EventKind::use;
  }
  static bool is_queued(const Event& event) {
    return event.kind == EventKind::submit || event.kind == EventKind::start ||
           event.kind == EventKind::finish;
  }

  /// Other work matters if it is in the stream of the fault, and was submitted by an op that caused
  /// a side of the fault.
  int of_work(const Event& event) const {
    if (works_.contains(Work{event.activation, event.what.hash()})) return 4;
    const bool near =
        streams_.contains(event.object) && slots_.contains(causes_.slot_of(event.activation));
    return near || all_work_matters_ ? 1 : 0;
  }

  int of_the_others(const Event& event) const {
    if (ordered_.contains(&event) || event.kind == EventKind::note) return 2;
    if (event.kind == EventKind::collect) return event.value > 0 ? 2 : 0;
    if (event.kind != EventKind::call) return 0;
    if (event.value != 0 && event.value != kNotReady) return 2;
    return event.what.view().find("Synchronize") != std::string_view::npos ? 1 : 0;
  }

  void add_cause(const StoryItem& item) {
    const Name name = item.event != nullptr ? item.event->activation : item.fault->activation;
    slots_.insert(causes_.slot_of(name));
  }

  void add_work(std::span<const StoryItem> items, std::size_t start) {
    if (start == FaultSides::kNone) return;
    works_.insert({items[start].event->activation, items[start].event->what.hash()});
    streams_.insert(items[start].event->object);
  }

  const Teller& teller_;
  const FaultSides& sides_;
  Causes causes_;
  std::unordered_set<const Event*> ordered_;
  std::unordered_set<Name> slots_;              ///< Ops that caused a side of the fault.
  std::unordered_set<Work, HashOfWork> works_;  ///< Work that contains a side of the fault.
  std::unordered_set<Name> streams_;            ///< Streams of that work.
  bool all_work_matters_ = false;
};

}  // namespace

std::vector<std::size_t> chosen(const Telling& telling, const Teller& teller,
                                std::span<const StoryItem> items, const FaultSides& sides,
                                Extent extent) {
  if (extent == Extent::whole) {
    std::vector<std::size_t> all(items.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  const Ranks ranks(telling, teller, items, sides);
  std::vector<std::pair<int, std::size_t>> candidates;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (const int rank = ranks.of(items[i], i); rank > 0) candidates.emplace_back(rank, i);
  std::sort(candidates.rbegin(), candidates.rend());
  candidates.resize(std::min(candidates.size(), kRowLimit));
  std::vector<std::size_t> indices;
  indices.reserve(candidates.size());
  for (const auto& [rank, index] : candidates) indices.push_back(index);
  std::sort(indices.begin(), indices.end());
  return indices;
}

}  // namespace harness::reports
