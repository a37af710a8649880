// SPDX-License-Identifier: Apache-2.0
// Core: state that the parts of one Argpack share.
#pragma once

#include <optional>

#include "targets/argpack/driver.h"
#include "targets/argpack/facts.h"

namespace targets::argpack {

class Policy;
class Program;

/// Ownership: in the run's arena; borrows the runtime and all that its members point at.
struct Core {
  Core(harness::Runtime& runtime, const Setup& setup)
      : runtime(runtime),
        setup(setup),
        scheduler(runtime.scheduler),
        ledger(runtime.host.ledger()),
        driver(runtime, setup.backend),
        objects(setup.gil),
        facts(objects, *setup.observer),
        interpreter(runtime.heap),
        program_lock(runtime.scheduler, "program") {
    HARNESS_CHECK(runtime.heap.config().gil == setup.gil, "heap and path agree about the GIL");
  }
  Core(const Core&) = delete;  // Every part points at it.
  Core& operator=(const Core&) = delete;

  harness::Runtime& runtime;
  Setup setup;
  harness::Scheduler& scheduler;
  harness::Ledger& ledger;
  Driver driver;
  ObjectLocks objects;
  Facts facts;
  harness::Interpreter interpreter;
  /// Replaces the GIL during C calls if there is none. Taichi's tables have no lock; races on them
  /// are not part of this path.
  harness::Mutex program_lock;
  Policy* policy = nullptr;
  Program* program = nullptr;  ///< get_runtime().prog: the current program.
};

/// Scope of a C call, in which no other task's C call runs.
class CCall {
 public:
  explicit CCall(Core& core) : core_(core) {
    if (!core.setup.gil && !core.program_lock.held_by_current()) lock_.emplace(core.program_lock);
    core_.objects.pass();
  }
  ~CCall() { core_.objects.pass(); }
  CCall(const CCall&) = delete;
  CCall& operator=(const CCall&) = delete;

 private:
  Core& core_;
  std::optional<harness::LockGuard> lock_;
};

}  // namespace targets::argpack
