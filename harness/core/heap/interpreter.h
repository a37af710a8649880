// SPDX-License-Identifier: Apache-2.0
// Interpreter: runs Python code in steps, under the GIL.
//
// A Python-level op is a list of steps, named after bytecodes and C calls. Between any two of them
// the GIL may be switched and pending work is checked. Inside a C call neither happens, unless the
// call releases the GIL or itself runs Python code (a finalizer).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "harness/core/heap/heap.h"
#include "harness/core/sync.h"

namespace harness {

/// Ownership: made once per run, in its arena, after heap.configure(). Borrows the heap, which
/// points at it.
class Interpreter {
 public:
  explicit Interpreter(Heap& heap)
      : heap_(heap),
        scheduler_(heap.scheduler()),
        gil_(scheduler_, heap.config().gil),
        pending_resource_(scheduler_.name_next("pending calls")) {
    heap.interpreter_ = this;
  }
  Interpreter(const Interpreter&) = delete;  // The heap and waiting tasks point at it.
  Interpreter& operator=(const Interpreter&) = delete;

  // ---- threads ----

  /// Makes the task a Python thread, like PyEval_RestoreThread. The first one becomes the main
  /// thread, unless set_main() was called.
  void attach() {
    gil_.acquire();
    if (main_ == TaskId::none) main_ = scheduler_.current();
  }
  /// Makes the task stop being a Python thread. It must not touch managed objects until it attaches
  /// again.
  void detach() { gil_.release(); }
  /// Makes `task` the main thread, which runs the pending calls.
  void set_main(TaskId task) { main_ = task; }
  /// Returns whether the running task is a Python thread: it holds the GIL.
  bool attached() const { return gil_.held_by_current(); }
  Gil& gil() { return gil_; }

  // ---- steps ----

  /// Called before a bytecode runs: pending calls, the collector and a switch of the GIL may
  /// happen.
  void step(Label bytecode) {
    between_steps();
    scheduler_.note(EventKind::step, bytecode);
  }

  /// Runs a step that is one call of a C function, which holds the GIL throughout. `name` is its
  /// site.
  template <class Function>
  decltype(auto) c_call(Label name, Function function) {
    step(name);
    const SiteScope site(scheduler_, name);
    return function();
  }

  /// Py_BEGIN_ALLOW_THREADS: runs `function` without the GIL. It must not touch managed objects.
  template <class Function>
  decltype(auto) allow_threads(Function function) {
    const Released released(*this);
    return function();
  }

  // ---- CUDA calls ----

  /// Sets whether CUDA calls are made without the GIL, as under `with nogil`. The task then
  /// releases it before the turn of a call, and takes it again when the call has returned. Neither
  /// is a turn, if no other task waits for the lock.
  void make_calls_without_gil(bool without) { calls_without_gil_ = without; }

  /// A CUDA call of the running task.
  class Call {
   public:
    Call() = default;
    ~Call() { end(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// Releases the lock, if CUDA calls are made without it.
    void begin(Interpreter& interpreter) {
      if (!interpreter.gives_up_gil()) return;
      gil_ = &interpreter.gil_;
      gil_->give_for_call();
    }
    /// Takes the lock again, if it was released.
    void end() {
      if (gil_ != nullptr) std::exchange(gil_, nullptr)->take_after_call();
    }

   private:
    Gil* gil_ = nullptr;
  };

  /// Lets the CUDA calls of the running task keep the GIL while it exists.
  class Kept {
   public:
    explicit Kept(Interpreter& interpreter)
        : kept_(interpreter.kept_), outer_(kept_), me_(interpreter.bit_of_current()) {
      kept_ |= me_;
    }
    ~Kept() { kept_ = (kept_ & ~me_) | (outer_ & me_); }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;

   private:
    std::uint64_t& kept_;
    std::uint64_t outer_;
    std::uint64_t me_;
  };

  // ---- pending calls ----

  static constexpr std::size_t kPendingLimit = 32;

  /// Py_AddPendingCall: makes `call(argument)` run on the main thread, between two of its steps.
  /// Any task may call it, with or without the GIL. Returns false if the queue is full.
  bool add_pending_call(void (*call)(void*), void* argument);
  std::size_t pending_count() const { return pending_count_; }

 private:
  struct Released {
    explicit Released(Interpreter& interpreter) : self(interpreter) { self.detach(); }
    ~Released() { self.attach(); }
    Interpreter& self;
  };
  struct PendingCall {
    void (*call)(void*);
    void* argument;
  };

  bool gives_up_gil() const {
    return calls_without_gil_ && gil_.enabled() && scheduler_.in_task() && gil_.held_by_current() &&
           (kept_ & bit_of_current()) == 0;
  }
  std::uint64_t bit_of_current() const {
    return std::uint64_t{1} << raw(scheduler_.current()) % 64;
  }
  void between_steps();
  void run_pending_calls();

  Heap& heap_;
  Scheduler& scheduler_;
  Gil gil_;
  Resource pending_resource_;
  TaskId main_ = TaskId::none;
  std::array<PendingCall, kPendingLimit> pending_{};
  std::size_t pending_first_ = 0;
  std::size_t pending_count_ = 0;
  bool pending_running_ = false;
  bool calls_without_gil_ = false;
  std::uint64_t kept_ = 0;  ///< Bit per task (low bits of its id) whose calls keep the GIL.
};

/// Makes the current task a Python thread while it exists, unless it is one (PyGILState_Ensure).
class AttachScope {
 public:
  explicit AttachScope(Interpreter& interpreter)
      : interpreter_(interpreter), nested_(interpreter.gil().enabled() && interpreter.attached()) {
    if (!nested_) interpreter_.attach();
  }
  ~AttachScope() {
    if (!nested_) interpreter_.detach();
  }
  AttachScope(const AttachScope&) = delete;
  AttachScope& operator=(const AttachScope&) = delete;

 private:
  Interpreter& interpreter_;
  bool nested_;
};

}  // namespace harness
