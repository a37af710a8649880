// SPDX-License-Identifier: Apache-2.0
// Calls: what the driver answered to the CUDA calls of a run: from the history alone, whatever the
// path made of it.
//
// The simulated driver fails no call by itself unless the call is wrong, or something is in the
// way; all other errors were injected. What fails for good cannot end well.
#pragma once

#include <span>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

/// Whether the last two opens of IPC memory by the running task were answered "already mapped":
/// then a process closes all that it can.
bool was_told_twice(const harness::World& world);

/// Results of the calls on behalf of an activation.
struct Failures {
  /// One failed, and was not made again at once. "Not ready" and "already mapped" are not failures.
  bool error = false;
  /// "Already mapped" thrice in a row: the end, unless what is in the way goes.
  bool refused = false;
};
/// Gathers the results from the events after the first `since`.
Failures failures_of(const harness::World& world, harness::Name activation, std::size_t since);

/// How many calls that move data succeeded on behalf of an activation: copies and kernels.
std::size_t transfers_of(const harness::World& world, harness::Name activation, std::size_t since);

/// Whether a batch on behalf of the collective of that slot was told to read a source at the call,
/// and not when its stream gets there.
bool was_read_ahead(const harness::World& world, std::uint32_t rank, std::uint32_t slot);

/// Reports each kind of call that failed in a run in which none was told to.
void report_wrong_calls(harness::Scene& scene);

/// Reports a process that opens the same memory again and again, although it was told that
/// something is in the way and has done nothing else since: it should sleep until that has gone.
/// `planned_polls`: by rank, those that the script itself made.
void report_busy_opens(harness::Scene& scene, std::span<const std::uint32_t> planned_polls);

/// Reports threads whose current context is not what it was, when all is over: one was pushed and
/// never popped, or the other way round.
void report_left_contexts(harness::Scene& scene);

}  // namespace scenarios::alltoallv
