// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/sim_device.h"

#include "harness/core/fault/kinds.h"

namespace harness::devices {

SimDevice::~SimDevice() = default;

void SimDevice::begin(World& world) {
  if (world_ != &world) {
    world_ = &world;
    runner_.reset();
    data_races_ = std::make_unique<DataRaces>(ledger(), memory_);
    provenance_ = std::make_unique<Provenance>(ledger(), memory_);
    runner_ = std::make_unique<KernelRunner>(*provenance_);
  }
  memory_.begin(ledger());
  provenance_->begin();
  runner_->begin();
  data_races_->begin(world.history.counts(FaultKind::data_race));
  handles_.begin();
  graphs_.begin();
  captures_.begin();
  pools_.begin();
  processes_.begin(world);
  faults_.begin(world);
  threads_.begin();
  streams_.begin();
  queues_.begin();
  host_memory_.begin();
}

void SimDevice::end() {
  data_races_->end();
  memory_.end();
}

}  // namespace harness::devices
