// SPDX-License-Identifier: Apache-2.0
// Bounded: checks that unusable objects are gone soon, while the script still runs.
#pragma once

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// Maximum number of calls of the main thread until a lost object is gone, once nothing holds up
/// its end. Each call has a step in which Python's queue is served.
inline constexpr std::uint32_t kBoundCalls = 3;

/// Called after a call. The bound counts from the moment when the object is lost, no destructor is
/// owed and Python's queue is not flooded. A synchronisation that finds the device idle comes after
/// all frees.
void judge_bound(Model& model, const Call& call, targets::graph_argument::Status status);

/// Returns how many destructors CUDA must call.
std::size_t ended_user_objects(const Model& model);
/// Returns whether an unusable object is alive. Called between calls.
bool has_lost(Model& model);
/// Called before a round of waits for the device, CUDA's thread and Python's queue, which must end
/// all objects that are lost by now.
void await_lost(Model& model);
/// Called after the last round, in which no user object ended: objects lost before it must be gone.
/// An object lost during the round, because a collector freed its holder, was not waited for.
void judge_settled(Model& model);

/// Called after the run: reports each object that was there for too long but is gone by now.
void report_overdue(const Model& model);

}  // namespace scenarios::graph_argument
