// SPDX-License-Identifier: Apache-2.0
#include "harness/run/scenario/faults.h"

#include "harness/core/fault/kinds.h"

namespace harness {

Fault fault_here(Scene& scene, FaultKind kind, Label object_kind, std::string detail) {
  World& world = scene.world();
  Fault fault;
  fault.kind = kind;
  fault.object_kind = object_kind;
  fault.use_site = world.scheduler.site();
  fault.activation = world.picker.current().name;
  fault.tick = world.scheduler.now();
  fault.detail = std::move(detail);
  return fault;
}

Fault retention_of(const Scene& scene, const Life& life, std::string detail) {
  Fault fault;
  fault.kind = FaultKind::retention;
  fault.object_kind = life.kind;
  fault.birth_site = life.birth_site;
  fault.object = life.name;
  fault.activation = life.birth_activation;
  fault.tick = scene.world().scheduler.now();
  fault.detail = std::move(detail);
  return fault;
}

}  // namespace harness
