// SPDX-License-Identifier: Apache-2.0
// Scheduler: runs tasks one at a time on one OS thread, and chooses the next task at every turn.
//
// A task announces before it acts: turn(access) comes *before* each visible operation, and may
// switch to another task or let an engine (a device stream) advance. By default the task continues.
// Waiting is a predicate, never a spin, so that a deadlock is detected at once.
//
// How a run ends: every task that must finish has finished, or a fatal fault, a deadlock, a
// livelock or the step limit stopped the run. Unfinished tasks are abandoned: never resumed, never
// unwound.
#pragma once

#include <cstdint>
#include <utility>

#include "harness/base/arena.h"
#include "harness/base/crash/crash.h"
#include "harness/base/fiber.h"
#include "harness/core/history/history.h"
#include "harness/core/pick/pick.h"
#include "harness/core/scheduler/choice.h"
#include "harness/core/scheduler/crash_record.h"
#include "harness/core/scheduler/engines.h"  // IWYU pragma: export
#include "harness/core/scheduler/lock_order.h"
#include "harness/core/scheduler/pace.h"
#include "harness/core/scheduler/ready_set.h"
#include "harness/core/scheduler/task.h"  // IWYU pragma: export
#include "harness/core/scheduler/tasks.h"
#include "harness/core/scheduler/turn_count.h"
#include "harness/core/scheduler/waiting.h"

namespace harness {

enum class Ending : std::uint8_t { finished, fatal, deadlock, livelock, step_limit };

/// Ownership: owns the tasks and their stacks, and keeps both from run to run; borrows the rest.
/// Threads: confined to the thread that calls run().
class Scheduler {
 public:
  Scheduler(Arena& arena, Picker& picker, History& history);

  // ---- a run ----

  /// Forgets the previous run. At most `turn_limit` turns will be taken.
  void begin(Tick turn_limit);

  /// Runs until every task that must finish has, or until something else ends the run.
  Ending run();

  /// Ends the run, because the current task had a fatal fault. Outside of tasks, it leaves run().
  [[noreturn]] void die();

  /// Ends the run, because the code under test crashed. Returns only outside of tasks, where the
  /// caller knows how to leave. Allocates nothing: it may run in a signal handler.
  void crash(const Crash& crash);

  /// Ends a run that was left outside of its tasks, in run() or before it.
  Ending abandon();

  // ---- tasks ----

  /// Adds a task that must finish for the run to finish. `body` is copied into the arena.
  template <class Body>
  TaskId spawn(Label label, Body body) {
    return add_task(label, arena_.make<Body>(std::move(body)), invoke<Body>, false);
  }

  /// Adds a task that serves others and may still be waiting when the run finishes.
  template <class Body>
  TaskId spawn_daemon(Label label, Body body) {
    return add_task(label, arena_.make<Body>(std::move(body)), invoke<Body>, true);
  }

  /// Announces `access` and offers the turn. Outside a task it does nothing.
  void turn(Access access);

  /// Announces `access`, then sleeps until `ready()` holds. The predicate is evaluated again
  /// whenever `access.resource` is touched, and must not call turn(). `what` and `*holder`, which
  /// may change during the wait, describe a deadlock.
  template <class Ready>
  void wait_until(Access access, Label what, Ready ready, const TaskId* holder = nullptr) {
    turn(access);
    if (sleep_until(what, ready, holder) && access.kind == AccessKind::read)
      tasks_.current()->joined = now();
  }

  /// Sleeps until something that this task read since its last pause is written. For tasks that
  /// poll.
  void pause();

  /// Wakes tasks that wait for `resource`. Writes announced by turn() need no call.
  void touch(Resource resource) { waiting_.touch(resource, turns_.ever() + 1); }

  /// Marks a named place at which the running task may be delayed while others run. A choice
  /// decides whether, and for how many turns. By default, and without an actor that allows delays,
  /// it is not delayed.
  void delay_point(Label point) {
    if (pace_.delays_allowed() && in_task()) [[unlikely]]
      maybe_delay(point);
  }

  // ---- parts with their own interface ----

  scheduling::Pace& pace() { return pace_; }
  scheduling::Engines& engines() { return engines_; }
  const scheduling::Tasks& tasks() const { return tasks_; }
  Picker& picker() { return picker_; }
  History& history() { return history_; }
  Arena& arena() { return arena_; }

  // ---- the running task ----

  /// Returns the number of turns so far. The reference stays valid and keeps counting.
  const Tick& now() const { return turns_.taken(); }
  bool in_task() const { return tasks_.current() != nullptr; }  ///< Returns whether a task runs.
  /// Returns the id of the running task.
  TaskId current() const { return in_task() ? tasks_.current()->id : TaskId::none; }

  /// Returns the process of the running task. A task belongs to the process of the task that
  /// spawned it.
  ProcessId process() const { return tasks_.context().process; }

  /// Returns the running function or op, for birth, death and use sites. Belongs to the task.
  Label site() const { return tasks_.context().site; }

  /// Names the next thing of `kind` that the current activation causes, and remembers the name.
  Name name_next(Label kind);

  /// Records an event of the current task in its current activation.
  void note(EventKind kind, Label what, Name object = 0, std::uint64_t value = 0) {
    history_.add(Event{kind, raw(current()), static_cast<std::uint32_t>(now()), what,
                       picker_.current().name, object, value});
  }

 private:
  using Task = scheduling::Task;
  friend class LockWatch;
  friend class Mutex;
  friend class SiteScope;
  friend class ProcessScope;

  template <class Body>
  static void invoke(void* body) {
    (*static_cast<Body*>(body))();
  }

  TaskId add_task(Label label, void* body, Task::Invoke invoke, bool daemon);
  static void task_main(void* task);
  void start_next_unborn();

  void note_access(Task& task, Access access);
  /// Does the same as wait_until(), after a turn that announced the access. Returns whether a task
  /// found the condition true at once.
  template <class Ready>
  bool sleep_until(Label what, Ready ready, const TaskId* holder = nullptr) {
    if (in_task() && ready()) return true;
    wait(what, &ready, [](void* context) { return (*static_cast<Ready*>(context))(); }, holder);
    return false;
  }
  [[gnu::noinline]] void wait(Label what, void* context, Task::Ready ready, const TaskId* holder);
  void sleep(Task& task, Task::State state, Label what, const TaskId* holder);
  void maybe_delay(Label point);

  bool goes_on_unasked(const Task& me);
  std::uint16_t choose();
  Task* next_task();
  [[gnu::noinline]] bool can_go_on();
  bool poll_engines();
  void leave_for(Task* next);
  [[noreturn]] void leave_for_good(Task* next);

  void out_of_turns();
  void stuck();
  void escaped(const char* what);
  Ending conclude(Activation* outside);
  void end_with(Ending ending, Fault fault);
  void end(Ending ending) {
    ending_ = ending;
    over_ = true;
  }

  Arena& arena_;
  Picker& picker_;
  History& history_;
  StackPool stacks_;
  Fiber home_;

  scheduling::TurnCount turns_;
  scheduling::Tasks tasks_;
  scheduling::ReadySet ready_;
  scheduling::Engines engines_{ready_};
  scheduling::Pace pace_{tasks_, ready_};
  scheduling::Choice choice_{ready_, picker_};
  scheduling::Waiting waiting_;
  scheduling::CrashRecord crash_;
  scheduling::LockOrder lock_order_{*this};

  Activation* outside_ = nullptr;     ///< The activation in which the run began.
  std::size_t unfinished_count_ = 0;  ///< Tasks that must finish and have not.
  Ending ending_ = Ending::finished;
  bool over_ = false;
};

}  // namespace harness
