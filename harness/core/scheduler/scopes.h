// SPDX-License-Identifier: Apache-2.0
// Scopes: the op, process and activation of running code, while a guard exists.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/core/scheduler/scheduler.h"

namespace harness {

/// Names the running function while it exists.
class SiteScope {
 public:
  SiteScope(Scheduler& scheduler, Label site)
      : scheduler_(scheduler), previous_(std::exchange(scheduler.tasks_.context().site, site)) {}
  ~SiteScope() { scheduler_.tasks_.context().site = previous_; }
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

  /// Renames the running function until the innermost scope ends.
  static void rename(Scheduler& scheduler, Label site) { scheduler.tasks_.context().site = site; }

 private:
  Scheduler& scheduler_;
  Label previous_;
};

/// Assigns spawned tasks and calls to a process while it exists.
class ProcessScope {
 public:
  ProcessScope(Scheduler& scheduler, ProcessId process)
      : scheduler_(scheduler),
        previous_(std::exchange(scheduler.tasks_.context().process, process)) {}
  ~ProcessScope() { scheduler_.tasks_.context().process = previous_; }
  ProcessScope(const ProcessScope&) = delete;
  ProcessScope& operator=(const ProcessScope&) = delete;

 private:
  Scheduler& scheduler_;
  ProcessId previous_;
};

/// Makes an activation the current one while it exists. Must be left in the task that entered it.
class ActivationScope {
 public:
  /// Enters op slot `slot` of root task `task`.
  ActivationScope(Scheduler& scheduler, std::uint32_t task, std::uint32_t slot);
  /// Enters the `nth` activation of `kind` that `parent` caused.
  ActivationScope(Scheduler& scheduler, Name parent, Label kind, std::uint32_t nth);
  ~ActivationScope() { picker_.leave_to(previous_); }
  ActivationScope(const ActivationScope&) = delete;
  ActivationScope& operator=(const ActivationScope&) = delete;

 private:
  Picker& picker_;
  Activation activation_;
  Activation* previous_;
};

}  // namespace harness
