// SPDX-License-Identifier: Apache-2.0
// Task: a function with a separate stack, and its state for the scheduler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/base/fiber.h"
#include "harness/base/label.h"
#include "harness/core/pick/pick.h"
#include "harness/core/scheduler/held_locks.h"

namespace harness {

class Scheduler;

enum class TaskId : std::uint16_t { none = 0xffff };

/// A process of the simulated machine. Its tasks share handles, contexts and an address space, and
/// reach those of other processes only by IPC. By default there is only the first process.
enum class ProcessId : std::uint16_t { first = 0 };

namespace scheduling {

/// The resources that a polling task has read since its last pause, and when.
class Reads {
 public:
  struct Read {
    Resource resource;
    Tick time;  ///< Time by the clock of all runs.
  };

  void clear() {  // Forgets the reads, when the task pauses.
    count_ = 0;
    too_many_ = false;
  }
  void add(Resource resource, Tick time) {  // Adds a read, or notes that there are too many.
    if (count_ < kLimit)
      reads_[count_++] = {resource, time};
    else
      too_many_ = true;
  }

  /// Returns whether there were more reads than fit.
  bool too_many() const { return too_many_; }
  const Read* begin() const { return reads_.data(); }         ///< Iterates over the reads.
  const Read* end() const { return reads_.data() + count_; }  ///< Ends the iteration.

 private:
  static constexpr std::size_t kLimit = 32;

  bool too_many_ = false;
  std::uint8_t count_ = 0;
  std::array<Read, kLimit> reads_;
};

/// The context of running code.
struct Context {
  Label site;  ///< The function or op, for birth, death and use sites.
  ProcessId process = ProcessId::first;
};

struct Task {
  enum class State : std::uint8_t { unborn, ready, waiting, paused, done };
  using Invoke = void (*)(void* body);
  using Ready = bool (*)(void* context);

  Fiber fiber;
  Scheduler* scheduler = nullptr;
  TaskId id = TaskId::none;
  std::uint16_t runnable = 0;  ///< Its index among those that can be scheduled.
  State state = State::done;
  bool daemon = false;
  std::uint32_t skew = 1;
  Tick slow_until = 0;
  Access pending;  ///< The announced step, which has not happened yet.
  Context context;
  Label label;
  Name name = 0;
  void* body = nullptr;
  Invoke invoke = nullptr;
  Activation root;
  Activation* activation = nullptr;
  Label waits_for;                         ///< Name of the wait, while waiting.
  const TaskId* waits_for_task = nullptr;  ///< The task that holds what it waits for; may be null.
  Ready ready = nullptr;                   ///< Null unless waiting.
  void* ready_context = nullptr;
  Reads reads;
  HeldLocks held;
  Tick joined = 0;  ///< The last tick at which it waited for work of others.
};

}  // namespace scheduling
}  // namespace harness
