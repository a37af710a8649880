// Core: what the parts of one GraphArgument share.
#pragma once

#include "targets/graph_argument/facts.h"
#include "targets/graph_argument/handles.h"

namespace targets::graph_argument {

class Policy;

/// Ownership: in the run's arena; borrows the runtime and what it points at.
struct Core {
  Core(harness::Runtime& runtime, const Setup& setup)
      : runtime(runtime),
        setup(setup),
        scheduler(runtime.scheduler),
        arena(runtime.scheduler.arena()),
        ledger(runtime.host.ledger()),
        facts(setup),
        interpreter(runtime.heap) {}
  Core(const Core&) = delete;  // Everybody points at it.
  Core& operator=(const Core&) = delete;

  /// CUDA's current context is the thread's: whoever calls what needs one says so first.
  void make_current() {
    const std::uint64_t bit = task_bit();
    if ((current & bit) != 0 || in_callback()) return;
    if (cuCtxSetCurrent(context) == CUDA_SUCCESS) current |= bit;
  }
  std::uint64_t task_bit() const {
    return std::uint64_t{1} << (harness::raw(scheduler.current()) % 64);
  }
  /// CUDA called this task: it may not call CUDA now.
  bool in_callback() const { return (callbacks & task_bit()) != 0; }

  /// The order that the GIL gives, as TSan is to hear of it: also from who takes no turn for it,
  /// which are those who look at a variable, and deleters.
  void order() {
    harness::edge_acquire(&interpreter);
    harness::edge_release(&interpreter);
  }

  harness::Runtime& runtime;
  Setup setup;
  harness::Scheduler& scheduler;
  harness::Arena& arena;
  harness::Ledger& ledger;
  Facts facts;
  harness::Interpreter interpreter;
  Policy* policy = nullptr;
  CUcontext context = nullptr;
  std::uint64_t current = 0;    ///< Tasks with a current context, a bit each.
  std::uint64_t callbacks = 0;  ///< Tasks in a callback of CUDA's.
  std::array<Shared<StreamBox>, kStreamCount> streams;
  harness::BirthId life = harness::BirthId::none;  ///< The interpreter's.
  bool finalized = false;
  std::size_t destructor_count = 0;  ///< Calls of user objects' destructors that are over.
};

inline constexpr harness::Resource kDestructorsResource = harness::hash_name("destructors");

/// CUDA runs a function of ours, on a thread of its own.
class CallbackScope {
 public:
  explicit CallbackScope(Core& core) : core_(core) { core_.callbacks |= core_.task_bit(); }
  ~CallbackScope() { core_.callbacks &= ~core_.task_bit(); }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

 private:
  Core& core_;
};

/// It is a user object's destructor.
class DestructorScope {
 public:
  explicit DestructorScope(Core& core)
      : core_(core), callback_(core), site_(core.scheduler, "user object destructor") {}
  ~DestructorScope() {
    ++core_.destructor_count;
    core_.facts.tell(&Observer::destructed);
    core_.scheduler.touch(kDestructorsResource);
  }
  DestructorScope(const DestructorScope&) = delete;
  DestructorScope& operator=(const DestructorScope&) = delete;

 private:
  Core& core_;
  CallbackScope callback_;
  harness::SiteScope site_;
};

/// PyGILState_Ensure on a thread of CUDA's. After Py_Finalize there is no interpreter to attach to.
class CallbackAttach {
 public:
  explicit CallbackAttach(Core& core) : attach_(checked(core).interpreter) {}

 private:
  static Core& checked(Core& core) {
    if (core.finalized && !core.ledger.used(core.life, harness::BirthId::none))
      core.scheduler.die();
    return core;
  }
  harness::AttachScope attach_;
};

}  // namespace targets::graph_argument
