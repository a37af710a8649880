// What only this path can judge: a graph that keeps what keeps the graph. Everything else is judged
// by the harness's own oracles, or in passing by the script (script.cpp).
#include "scenarios/graph_argument/script.h"

namespace scenarios::graph_argument {

// The contract has it: CUDA's references are nothing that a collector sees.
void judge(harness::Scene& scene) {
  if (scene.state == nullptr || !static_cast<const Script*>(scene.state)->keeps_itself()) return;
  harness::Fault fault;
  fault.kind = harness::FaultKind::retention;
  fault.object_kind = "reference cycle";
  fault.birth_site = "set_attribute";
  fault.use_site = "user object";
  fault.tick = scene.world().scheduler.now();
  scene.world().history.add(std::move(fault));
}

}  // namespace scenarios::graph_argument
