// Scopes: in which op, process and activation code runs, for as long as a guard lives.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/scheduler.h"

namespace harness {

/// Names the function that is running, for as long as it lives.
class SiteScope {
 public:
  SiteScope(Scheduler& scheduler, Label site)
      : scheduler_(scheduler), previous_(std::exchange(scheduler.tasks_.context().site, site)) {}
  ~SiteScope() { scheduler_.tasks_.context().site = previous_; }
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

  /// Gives what is running another name, until the innermost scope ends.
  static void rename(Scheduler& scheduler, Label site) { scheduler.tasks_.context().site = site; }

 private:
  Scheduler& scheduler_;
  Label previous_;
};

/// Makes what is spawned and called belong to a process, for as long as it lives.
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
