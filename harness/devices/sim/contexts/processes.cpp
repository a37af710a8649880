// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/contexts/processes.h"

#include "harness/devices/sim/peers/sharing.h"

namespace harness::devices {

Processes::Processes(SimDevice& sim) : sharing_(std::make_unique<Sharing>(sim)) {}

Processes::~Processes() = default;

void Processes::begin(World& world) {
  world_ = &world;
  for (std::size_t id = 0; id < processes_.size(); ++id)
    processes_[id]->reset(static_cast<ProcessId>(id));
  open_failures_.begin();
  leeway_.begin(world);
  sharing_->begin();
}

void Processes::add(ProcessId last) {
  while (processes_.size() <= raw(last)) {
    const auto id = static_cast<ProcessId>(processes_.size());
    processes_.emplace_back(std::make_unique<Process>())->reset(id);
  }
}

}  // namespace harness::devices
