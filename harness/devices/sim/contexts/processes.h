// SPDX-License-Identifier: Apache-2.0
// Processes: records that the driver keeps for each process that uses it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/cuda/open.h"
#include "harness/devices/sim/contexts/driver_lock.h"
#include "harness/devices/sim/contexts/leeway.h"
#include "harness/devices/sim/contexts/logs.h"
#include "harness/devices/sim/graphs/launches/run.h"
#include "harness/devices/sim/memory/pools.h"
#include "harness/world.h"

namespace harness::devices {

struct Context;
class Sharing;
class SimDevice;

struct Process {
  bool initialized = false;
  bool is_forked = false;  ///< A fork of one that was initialized: it has no driver.
  Context* primary = nullptr;
  unsigned primary_flags = 0;      ///< Flags for the primary context, when it is next made.
  std::uint32_t primary_owed = 0;  ///< Releases still to result from the one that was reset.
  std::array<Pool*, kPoolKindCount> default_pools{};
  std::array<Pool*, kPoolKindCount> current_pools{};  ///< The pools to use; null for the default.
  TaskId function_task = TaskId::none;                ///< The task that runs host functions.
  std::vector<HostCall> functions;       ///< Host functions that are to be called, in order.
  std::vector<std::uint32_t> mappings;   ///< Blocks that it has imported.
  Logs logs;                             ///< Callbacks for messages.
  DriverLock lock{"driver lock"};        ///< Under which calls work.
  DriverLock thread{"driver's thread"};  ///< On which functions of the program are called.

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

/// Ownership: owns the records, and keeps their storage from run to run. Addresses stay put.
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
  /// Returns the answers that opens of IPC memory are told to give.
  OpenFailures& open_failures() { return open_failures_; }
  /// Returns what this process shares with others of the run.
  Sharing& sharing() { return *sharing_; }
  /// Returns what decides where the driver may do one thing or another.
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
