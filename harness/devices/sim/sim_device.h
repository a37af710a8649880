// SPDX-License-Identifier: Apache-2.0
// SimDevice: the simulated driver, which holds its parts. The calls are in calls/.
#pragma once

#include <memory>

#include "harness/devices/sim/contexts/processes.h"
#include "harness/devices/sim/contexts/threads.h"
#include "harness/devices/sim/faults.h"
#include "harness/devices/sim/graphs/capture.h"
#include "harness/devices/sim/graphs/graphs.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/kernels/runner.h"
#include "harness/devices/sim/memory/host_memory.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/memory/pools.h"
#include "harness/devices/sim/objects.h"
#include "harness/devices/sim/peers/sharing.h"
#include "harness/devices/sim/streams/data_race.h"
#include "harness/devices/sim/streams/host_functions.h"
#include "harness/devices/sim/streams/streams.h"
#include "harness/devices/sim/streams/work_queues.h"
#include "harness/devices/sim/streams/work_steps.h"
#include "harness/driver/cuda/cuda.h"
#include "harness/driver/device.h"

namespace harness::devices {

/// Ownership: owns its parts, which access each other through it; borrows the world of the run.
/// Lifetime: begin() only resets counters: objects, buffers and address ranges are kept from run to
/// run. Threads: confined to the run's thread.
class SimDevice final : public Device {
 public:
  ~SimDevice() override;

  void begin(World& world) override;
  void end() override;
  const DriverTable& table() const override;
  bool runs_host_kernels() const override { return true; }

  /// Returns the device of the current world, for the entry points.
  static SimDevice& current() { return static_cast<SimDevice&>(*World::current()->device); }

  World& world() { return *world_; }
  Scheduler& scheduler() { return world_->scheduler; }
  Ledger& ledger() { return world_->ledger; }

  Handles& handles() { return handles_; }
  /// Returns the object of `handle`. If it is dead or unknown, records a fault and returns null.
  template <class Table>
  auto find(const Table& table, const void* handle, Label kind) -> decltype(table.find(handle));

  Faults& faults() { return faults_; }
  Processes& processes() { return processes_; }
  Threads& threads() { return threads_; }

  Memory& memory() { return memory_; }
  Pools& pools() { return pools_; }
  HostMemory& host_memory() { return host_memory_; }

  Streams& streams() { return streams_; }
  WorkQueues& queues() { return queues_; }
  WorkSteps& steps() { return steps_; }
  HostFunctions& host_functions() { return host_functions_; }
  DataRaces& data_races() { return *data_races_; }

  Provenance& provenance() { return *provenance_; }
  KernelRunner& runner() { return *runner_; }

  Graphs& graphs() { return graphs_; }
  Captures& captures() { return captures_; }

 private:
  World* world_ = nullptr;
  Handles handles_;
  Faults faults_;
  Processes processes_{*this};
  Threads threads_{*this};
  Memory memory_;
  Pools pools_{*this};
  HostMemory host_memory_{*this};
  Streams streams_{*this};
  WorkQueues queues_{*this};
  WorkSteps steps_{*this};
  HostFunctions host_functions_{*this};
  std::unique_ptr<DataRaces> data_races_;
  std::unique_ptr<Provenance> provenance_;
  std::unique_ptr<KernelRunner> runner_;
  Graphs graphs_{*this};
  Captures captures_{*this};
};

template <class Table>
auto SimDevice::find(const Table& table, const void* handle, Label kind)
    -> decltype(table.find(handle)) {
  auto* object = table.find(handle);
  if (object == nullptr) {
    faults_.misuse(kind, "not a handle that the driver gave out");
    return nullptr;
  }
  if (object->alive) [[likely]]
    return object;
  if (faults_.spared(object->birth)) return object;
  faults_.used_dead(object->birth);
  return nullptr;
}

}  // namespace harness::devices
