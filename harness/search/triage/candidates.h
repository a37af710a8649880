// SPDX-License-Identifier: Apache-2.0
// Candidates: repairs that the run of a finding suggests.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "harness/search/triage/trial.h"

namespace harness::triaging {

/// Returns the repairs to try, according to the runner's last run, which must be the finding's: an
/// object that was dead by then may have died too early, a left-over object may keep the leak
/// alive, and an injected error may be the cause. More specific repairs come first.
std::vector<Candidate> candidates_of(const Finding& finding, const World& world,
                                     const std::vector<Fault>& faults,
                                     const std::vector<RefusedStep>& refused);

/// Returns the orders to try, for the ways in which a run can achieve them.
std::vector<Candidate> orders_of(const std::vector<Way>& ways);

/// Returns the key that distinguishes repairs.
inline auto order_of(const Repair& repair) {
  return std::tuple(repair.kind, repair.object.view(), repair.got.view(), repair.let_go.view(),
                    repair.used.view());
}

/// Returns whether the fault is about an object that is still alive: left over, or longer than its
/// owner.
bool is_too_late(const Fault& fault);

/// Returns the cost of a repair: higher for more open parts.
unsigned cost_of(const Repair& repair);

/// Returns whether `wide` is `narrow`, or the same repair with more open parts.
bool includes(const Repair& wide, const Repair& narrow);

}  // namespace harness::triaging
