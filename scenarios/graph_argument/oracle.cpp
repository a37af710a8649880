// SPDX-License-Identifier: Apache-2.0
// Judges that only this path has, after the run: what was there for too long (bounded.h), and a
// graph that keeps what keeps the graph. The rest is judged in passing: answers (service.h) and
// values (judges.cpp); or by the harness's own oracles.
#include "harness/fault/kinds.h"
#include "scenarios/graph_argument/judges.h"

namespace scenarios::graph_argument {

/// The fault that ends a run says why.
static void judge_end(harness::Scene& scene, const Judges& judges) {
  if (!judges.ended() && scene.world().history.faults().empty())
    scene.refuse("script", "ended in the middle, without a reason");
}

// The contract has it: CUDA's references are nothing that a collector sees.
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
