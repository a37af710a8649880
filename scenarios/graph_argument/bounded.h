// SPDX-License-Identifier: Apache-2.0
// Bounded: what cannot be used any more is gone soon after, while the script continues.
#pragma once

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// Where that is which Python's full queue has held up, and nothing has asked for again.
inline constexpr harness::Label kStuckSite = "Py_AddPendingCall";

/// Largest number of calls of the main thread from when nothing holds up the end of a thing that
/// cannot be used until it is gone. Each has a step in which Python's queue is served.
inline constexpr std::uint32_t kBoundCalls = 3;

/// Called after a call. A lost thing counts from when it cannot be used, no destructor is owed and
/// Python's queue is not flooded. A synchronisation that finds the device idle comes after all
/// frees.
void judge_bound(harness::Scene& scene, Model& model, const Call& call,
                 targets::graph_argument::Status status);

/// Returns whether something that cannot be used is alive, between calls.
bool has_lost(Model& model);
/// Called before a round of waits for the device, CUDA's thread and Python's queue, which ends what
/// is lost by now.
void await_lost(Model& model);
/// After the last round, in which no user object ended: who was lost before it is gone. Who was
/// lost in it, as a collector found what held him, has not been waited for.
void judge_settled(harness::Scene& scene, Model& model);

/// After the run: a fault for each that was there for too long, and is gone by now.
void report_overdue(harness::Scene& scene, const Model& model);

}  // namespace scenarios::graph_argument
