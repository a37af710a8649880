// SPDX-License-Identifier: Apache-2.0
#include "harness/search/arrivals.h"

#include <algorithm>

#include "harness/core/fault/kinds.h"

namespace harness::searching {
namespace {

/// Returns whether faults of this kind happen at no particular place, so that the kind is the
/// hazard.
bool has_no_place(FaultKind kind) {
  return kind == FaultKind::retention || kind == FaultKind::refusal;
}

}  // namespace

ArrivalCounts::ArrivalCounts(const Scenario& scenario, int window)
    : scenario_(&scenario), window_(window) {
  windows_.resize(scenario.windows.size() * way_count());
  kinds_.resize(std::size(kFaultKinds));
  for (std::size_t i = 0; i < scenario.windows.size(); ++i)
    if (scenario.windows[i].has_one_way) one_way_.insert(i);
}

void ArrivalCounts::take_in(const Outcome& outcome) {
  exercised_runs_ += !outcome.vacuous;
  const Met met = outcome.faults.empty() ? Met{} : take_in_faults(outcome);
  for (std::size_t way = 0; way < way_count(); ++way) take_in_windows(outcome, met, way);
  for (const std::size_t kind : met.kinds) ++kinds_[kind].caught;
}

ArrivalCounts::Met ArrivalCounts::take_in_faults(const Outcome& outcome) {
  Met met;
  bool failed = false;
  for (std::size_t i = 0; i < outcome.faults.size(); ++i) {
    const int window = outcome.windows[i];
    if (window_ >= 0 && window != window_) continue;
    const bool has_ways = window >= 0 && ways_of(static_cast<std::size_t>(window)) > 1;
    const std::size_t way = has_ways ? static_cast<std::size_t>(outcome.ways[i]) : 0;
    const std::size_t kind = raw(outcome.faults[i].kind);
    Arrivals& row = window >= 0 ? at(static_cast<std::size_t>(window), way) : kinds_[kind];
    row.first += !std::exchange(failed, true);
    if (window >= 0)
      met.windows[way].insert(static_cast<std::size_t>(window));
    else
      met.kinds.insert(kind);
  }
  return met;
}

void ArrivalCounts::take_in_windows(const Outcome& outcome, const Met& met, std::size_t way) {
  const WindowSet contract = way == 0 ? outcome.contract : WindowSet{};
  const WindowSet reached = under(way, outcome.reached_by);
  const WindowSet refused = under(way, outcome.refused_by);
  const WindowSet caught = met.windows[way];
  for (const std::size_t window : reached | refused | caught | contract) {
    if (!counts(window)) continue;
    Arrivals& row = at(window, way);
    row.reached += (reached | caught).contains(window);
    row.caught += caught.contains(window);
    row.strayed += (caught - reached).contains(window);
    row.refused += refused.contains(window);
    row.contract += contract.contains(window);
  }
}

std::vector<StandingRow> ArrivalCounts::rows(const Claim& claim) const {
  std::vector<StandingRow> rows;
  const auto add = [&](StandingRow row, bool callers = false) {
    row.claimed = names(claim, row.hazard, row.way);
    row.unexplained &= !row.claimed;
    row.standing = stand(row.claimed, row.arrivals, callers);
    rows.push_back(row);
  };
  for (std::size_t window = 0; window < scenario_->windows.size(); ++window)
    for (std::size_t way = 0; way < ways_of(window) && counts(window); ++way)
      add({.hazard = scenario_->windows[window].name,
           .way = ways_of(window) == 1 ? Label{} : scenario_->ways[way],
           .arrivals = at(window, way)},
          scenario_->windows[window].is_callers);
  for (const FaultKindInfo& info : kFaultKinds) {
    Arrivals arrivals = kinds_[raw(info.kind)];
    arrivals.reached = exercised_runs_;
    if (arrivals.caught > 0 || names(claim, to_label(info.kind)))
      add({.hazard = to_label(info.kind),
           .unexplained = !has_no_place(info.kind),
           .arrivals = arrivals});
  }
  return rows;
}

}  // namespace harness::searching
