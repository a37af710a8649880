#include "harness/devices/sim/contexts/processes.h"

namespace harness::devices {

void Processes::begin(World& world) {
  world_ = &world;
  for (const auto& process : processes_) process->reset();
  open_failures_.begin();
  leeway_.begin(world);
}

void Processes::add(ProcessId last) {
  while (processes_.size() <= raw(last)) processes_.push_back(std::make_unique<Process>());
}

}  // namespace harness::devices
