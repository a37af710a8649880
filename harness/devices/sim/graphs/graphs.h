// SPDX-License-Identifier: Apache-2.0
// Graphs: all graph objects of the simulated device.
#pragma once

#include "harness/devices/sim/graphs/conditions.h"
#include "harness/devices/sim/graphs/definitions.h"
#include "harness/devices/sim/graphs/executables.h"
#include "harness/devices/sim/graphs/memory.h"
#include "harness/devices/sim/graphs/user_object.h"

namespace harness::devices {

/// Ownership: owns all of them, and keeps the storage from run to run.
class Graphs {
 public:
  explicit Graphs(SimDevice& sim)
      : definitions_(sim), executables_(sim), allocations_(sim), user_objects_(sim) {}
  void begin() {
    definitions_.begin();
    executables_.begin();
    allocations_.begin();
    conditions_.begin();
    user_objects_.begin();
  }

  GraphDefinitions& definitions() { return definitions_; }
  Executables& executables() { return executables_; }
  GraphAllocations& allocations() { return allocations_; }
  Conditions& conditions() { return conditions_; }
  UserObjects& user_objects() { return user_objects_; }

 private:
  GraphDefinitions definitions_;
  Executables executables_;
  GraphAllocations allocations_;
  Conditions conditions_;
  UserObjects user_objects_;
};

}  // namespace harness::devices
