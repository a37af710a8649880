// What only this path can judge: a variant that claims to be sound destroys its caches, so that
// what upstream leaves open until the process ends is retention there. What a collective still
// counts at its end is found by the target's ghost, and what it computed by Job::read.
#include <algorithm>

#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

void judge(harness::Scene& scene) {
  const harness::Claim& claim = scene.scenario().variants[scene.variant()].claim;
  if (!scene.quiescent() || claim.kind != harness::ClaimKind::sound) return;
  const harness::Label mapping("IPC mapping");
  const auto& lives = scene.world().ledger.lives();
  const auto left = std::find_if(lives.begin(), lives.end(), [&](const harness::Life& life) {
    return life.alive && life.kind == mapping;
  });
  if (left == lives.end()) return;
  harness::Fault fault;
  fault.kind = harness::FaultKind::retention;
  fault.object_kind = left->kind;
  fault.birth_site = left->birth_site;
  fault.object = left->name;
  fault.activation = left->birth_activation;
  fault.tick = scene.world().scheduler.now();
  fault.detail = "open when its process has closed";
  scene.world().history.add(std::move(fault));
}

}  // namespace scenarios::alltoallv
