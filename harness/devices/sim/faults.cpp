// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/faults.h"

#include "harness/core/fault/kinds.h"

#include <utility>

namespace harness::devices {

void Faults::misuse(Label kind, const char* detail, BirthId id) {
  Fault fault = world_->ledger.describe(FaultKind::api_misuse, id);
  fault.object_kind = kind;
  fault.detail = detail;
  world_->history.add(std::move(fault));
}

void Faults::used_dead(BirthId id) {
  world_->history.add(world_->ledger.describe(FaultKind::use_after_free, id));
}

void Faults::die(CUresult error) {
  if (world_->scheduler.in_task()) world_->scheduler.die();
  broken_ = error;
}

}  // namespace harness::devices
