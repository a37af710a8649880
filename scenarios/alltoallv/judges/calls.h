// SPDX-License-Identifier: Apache-2.0
// Calls: checks the results of a run's CUDA calls, from the history alone, independent of the
// path.
//
// Without an injected error, a call of the simulated driver fails only if it is wrong, or if an
// open is in conflict. After a call that keeps failing, a collective cannot succeed.
#pragma once

#include <span>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

/// Returns whether the running task's last two opens of IPC memory returned "already mapped", after
/// which a process closes everything that it can.
bool was_already_mapped_twice(const harness::World& world);

/// Results of the calls for an activation.
struct Failures {
  /// A call failed and was not repeated at once. "Not ready" and "already mapped" do not count.
  bool error = false;
  /// Three times "already mapped" in a row: final, unless the conflicting mapping is closed.
  bool refused = false;
};
/// Gathers the results from the events after the first `since`.
Failures failures_of(const harness::World& world, harness::Name activation, std::size_t since);

/// Returns the number of successful copies and kernel launches for an activation.
std::size_t transfers_of(const harness::World& world, harness::Name activation, std::size_t since);

/// Reports each kind of call that failed in a run without injected errors.
void report_wrong_calls(harness::Scene& scene);

/// Reports a process that opens the same memory again and again, although it was "already mapped"
/// and nothing has changed: it should sleep until the conflict is gone. `planned_polls`: by rank,
/// the polls that the script itself makes.
void report_busy_opens(harness::Scene& scene, std::span<const std::uint32_t> planned_polls);

/// Reports threads that end with a different current context than they began with: a context was
/// pushed and never popped, or the reverse.
void report_left_contexts(harness::Scene& scene);

}  // namespace scenarios::alltoallv
