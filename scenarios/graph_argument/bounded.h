// Bounded: what nobody can use any more is gone soon after, while the script goes on.
#pragma once

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// Where that is which Python's full queue has held up, and nobody has asked for again.
inline constexpr harness::Label kStuckSite = "Py_AddPendingCall";

/// How many calls of the main thread may pass, at most, from when nothing holds up the end of a
/// thing that nobody can use until it is gone. Each has a step in which Python's queue is served.
inline constexpr std::uint32_t kBoundCalls = 3;

/// After a call. What is lost counts from when nobody can use it, no destructor is owed and
/// Python's queue is not flooded; a device that is idle, which a synchronisation says, has all
/// frees behind it.
void judge_bound(harness::Scene& scene, Model& model, const Call& call,
                 targets::graph_argument::Status status);

/// Whether somebody whom nobody can use is alive, in between calls.
bool has_lost(Model& model);
/// Before a round of waits: for the device, CUDA's thread and Python's queue. Ends whoever is lost
/// by now.
void await_lost(Model& model);
/// After the last round, in which no user object ended: who was lost before it is gone. Who was
/// lost in it, as a collector found what held him, has not been waited for.
void judge_settled(harness::Scene& scene, Model& model);

/// After the run: a fault for each that was there for too long, and is gone by now.
void report_overdue(harness::Scene& scene, const Model& model);

}  // namespace scenarios::graph_argument
