// SPDX-License-Identifier: Apache-2.0
// Core: state that the parts of one GraphArgument share.
#pragma once

#include "targets/graph_argument/counts.h"
#include "targets/graph_argument/facts.h"
#include "targets/graph_argument/handles.h"
#include "targets/graph_argument/loops.h"

namespace targets::graph_argument {

class Policy;

/// A flag per task, like a thread_local.
class ThreadFlag {
 public:
  explicit ThreadFlag(harness::Scheduler& scheduler) : scheduler_(scheduler) {}
  /// Returns the current task's flag.
  bool& here() { return flags_[harness::raw(scheduler_.current()) % flags_.size()]; }

 private:
  harness::Scheduler& scheduler_;
  std::array<bool, 64> flags_{};
};

/// Ownership: in the run's arena; borrows the runtime and all that its members point at.
struct Core {
  Core(harness::Runtime& runtime, const Setup& setup)
      : runtime(runtime),
        setup(setup),
        scheduler(runtime.scheduler),
        arena(runtime.scheduler.arena()),
        ledger(runtime.host.ledger()),
        facts(setup),
        loops(arena),
        interpreter(runtime.heap),
        has_context(scheduler),
        called_back(scheduler),
        destructors(scheduler) {}
  Core(const Core&) = delete;  // Every part points at it.
  Core& operator=(const Core&) = delete;

  /// Makes the context current. CUDA's current context is per thread, so every call that needs one
  /// does this first.
  void make_current() {
    if (has_context.here() || in_callback()) return;
    if (cuCtxSetCurrent(context) == CUDA_SUCCESS) has_context.here() = true;
  }
  /// Returns whether the current task is in a CUDA callback, in which it must not call CUDA.
  bool in_callback() { return called_back.here(); }

  harness::Runtime& runtime;
  Setup setup;
  Api api;
  harness::Scheduler& scheduler;
  harness::Arena& arena;
  harness::Ledger& ledger;
  Facts facts;
  Loops loops;
  harness::Interpreter interpreter;
  Policy* policy = nullptr;
  CUcontext context = nullptr;
  ThreadFlag has_context;  ///< A context is current.
  ThreadFlag called_back;  ///< Whether the thread is in a callback of CUDA.
  std::array<Shared<StreamBox>, kStreamCount> streams;
  harness::BirthId life = harness::BirthId::none;  ///< Lifetime of the interpreter.
  Flag finalized;  ///< The interpreter no longer exists. CUDA threads read this without the
                   ///< GIL.
  DestructorCount destructors;
};

/// Scope of a callback that CUDA runs on one of its threads.
class CallbackScope {
 public:
  explicit CallbackScope(Core& core) : core_(core) { core_.called_back.here() = true; }
  ~CallbackScope() { core_.called_back.here() = false; }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  Core& core_;
};

/// Scope of a callback that is a user object's destructor.
class DestructorScope {
 public:
  explicit DestructorScope(Core& core)
      : core_(core), callback_(core), site_(core.scheduler, "user object destructor") {}
  ~DestructorScope() {
    core_.facts.tell(&Observer::destructed);
    core_.destructors.add();
  }
  DestructorScope(const DestructorScope&) = delete;
  DestructorScope& operator=(const DestructorScope&) = delete;

 private:
  Core& core_;
  CallbackScope callback_;
  harness::SiteScope site_;
};

/// PyGILState_Ensure on a CUDA thread. After Py_Finalize this uses an interpreter that is gone.
class CallbackAttach {
 public:
  explicit CallbackAttach(Core& core) : attach_(checked(core).interpreter) {}

 private:
  static Core& checked(Core& core) {
    if (core.finalized.raised() && !core.ledger.used(core.life, harness::BirthId::none))
      core.scheduler.die();
    core.facts.tell(&Observer::called_back);
    return core;
  }
  harness::AttachScope attach_;
};

}  // namespace targets::graph_argument
