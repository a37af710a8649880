// SPDX-License-Identifier: Apache-2.0
// Candidates: the repairs that the run of a finding suggests.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "harness/triage/trial.h"

namespace harness::triaging {

/// Returns the repairs to try, by the last run of the runner, which was the finding's: whatever had
/// died by then may have died too early, whatever is left over may be what keeps it, and whatever
/// failed may be what it follows from. Those that leave less open come first.
std::vector<Candidate> candidates_of(const Finding& finding, const World& world,
                                     const std::vector<Fault>& faults,
                                     const std::vector<RefusedStep>& refused);

/// Returns the orders to try, by the ways in which a run may come by them.
std::vector<Candidate> orders_of(const std::vector<Way>& ways);

/// Returns the key that distinguishes repairs.
inline auto order_of(const Repair& repair) {
  return std::tuple(repair.kind, repair.object.view(), repair.got.view(), repair.let_go.view(),
                    repair.used.view());
}

/// Returns whether the fault is about a thing that is still there: left over, or beyond its owner.
bool is_too_late(const Fault& fault);

/// Returns the cost of a repair: higher if it leaves more open.
unsigned cost_of(const Repair& repair);

/// Returns whether `wide` is `narrow` with something left open, or the same.
bool includes(const Repair& wide, const Repair& narrow);

}  // namespace harness::triaging
