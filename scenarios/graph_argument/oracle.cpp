// SPDX-License-Identifier: Apache-2.0
// Judges after the run that only this path has: objects alive for too long (bounded.h), and a graph
// that keeps its own owner alive. All else is judged during the run, statuses (service.h) and
// values (judges.cpp), or by the harness's own oracles.
#include "harness/core/fault/kinds.h"
#include "scenarios/graph_argument/judges.h"

namespace scenarios::graph_argument {

/// Without a fault, the script must have ended normally.
static void judge_end(harness::Scene& scene, const Judges& judges) {
  if (!judges.ended() && scene.world().history.faults().empty())
    scene.refuse("script", "ended in the middle, without a reason");
}

// A caller error: the collector cannot see CUDA's references.
void judge(harness::Scene& scene) {
  if (!scene.has_state()) return;
  const auto& judges = scene.state<Judges>();
  report_overdue(scene, judges.model());
  judge_end(scene, judges);
  if (!judges.keeps_itself()) return;
  harness::Fault fault;
  fault.kind = harness::FaultKind::retention;
  fault.object_kind = "reference cycle";
  fault.birth_site = "set_attribute";
  fault.use_site = "user object";
  fault.tick = scene.world().scheduler.now();
  scene.world().history.add(std::move(fault));
}

}  // namespace scenarios::graph_argument
