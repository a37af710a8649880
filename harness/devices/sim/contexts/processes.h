// SPDX-License-Identifier: Apache-2.0
// Processes: the driver's records for each process that uses it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/world.h"
#include "harness/devices/sim/contexts/driver_lock.h"
#include "harness/devices/sim/contexts/leeway.h"
#include "harness/devices/sim/contexts/logs.h"
#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/devices/sim/memory/pools.h"
#include "harness/driver/cuda/open.h"

namespace harness::devices {

struct Context;
class Sharing;
class SimDevice;

struct Process {
  bool initialized = false;
  bool is_forked = false;  ///< Forked from an initialized process, so that it cannot use the
                           ///< driver.
  Context* primary = nullptr;
  unsigned primary_flags = 0;      ///< Flags for the next primary context.
  std::uint32_t primary_owed = 0;  ///< Releases still expected for the primary context that was
                                   ///< reset.
  std::array<Pool*, kPoolKindCount> default_pools{};
  std::array<Pool*, kPoolKindCount> current_pools{};  ///< The pools to use; null for the default.
  TaskId function_task = TaskId::none;                ///< The task that runs host functions.
  std::vector<HostCall> functions;                    ///< Host functions to call, in order.
  std::vector<std::uint32_t> mappings;                ///< Imported blocks.
  Logs logs;                                          ///< Callbacks for messages.
  DriverLock lock{"driver lock"};                     ///< The lock under which calls work.
  DriverLock thread{"driver's thread"};  ///< The thread on which functions of the program are
                                         ///< called.

  void reset(ProcessId id) {
    lock.begin(id);
    thread.begin(id);
    initialized = is_forked = false;
    primary = nullptr;
    primary_flags = 0;
    primary_owed = 0;
    default_pools.fill(nullptr);
    current_pools.fill(nullptr);
    function_task = TaskId::none;
    functions.clear();
    mappings.clear();
    logs.begin();
  }
};

/// Ownership: owns the records, and keeps their storage from run to run. Addresses are stable.
class Processes {
 public:
  explicit Processes(SimDevice& sim);
  ~Processes();
  void begin(World& world);

  /// Returns the process of the running task.
  Process& current() { return at(world_->scheduler.process()); }
  Process& at(ProcessId id) {
    if (raw(id) >= processes_.size()) [[unlikely]]
      add(id);
    return *processes_[raw(id)];
  }
  /// Returns the injected errors of opens of IPC memory.
  OpenFailures& open_failures() { return open_failures_; }
  /// Returns the objects that this process shares with others of the run.
  Sharing& sharing() { return *sharing_; }
  /// Returns the choices between behaviours that the documentation permits.
  Leeway& leeway() { return leeway_; }

 private:
  void add(ProcessId last);

  World* world_ = nullptr;
  std::vector<std::unique_ptr<Process>> processes_;  ///< By ProcessId.
  OpenFailures open_failures_;
  Leeway leeway_;
  std::unique_ptr<Sharing> sharing_;
};

}  // namespace harness::devices
