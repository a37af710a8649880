// SPDX-License-Identifier: Apache-2.0
// How it works. Every task is a fiber, and so is the thread that calls run() ("home"). The task
// that holds the thread makes the schedule choice itself and switches directly to the chosen task,
// so a turn without a change costs no switch, and one with a change costs one. Engines have no
// stack: they advance on the current one, and the choice is made again.
//
// The parts keep the state for decisions: Tasks has all tasks and the running one, ReadySet those
// that can run, Waiting those that sleep, Pace those that are held back. Choice makes the choice,
// and TurnCount is the clock.
#include "harness/core/scheduler/scheduler.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <exception>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/fault/kinds.h"
#include "harness/core/intervention/order.h"
#include "harness/core/scheduler/stuck.h"

namespace harness {

using scheduling::Runnable;
using State = scheduling::Task::State;

/// A real driver needs more stack than a kernel or a target. Unused pages only take address space,
/// except with sanitizers, which mark all of it.
static constexpr std::size_t kStackBytes = (kAsan || kTsan ? 256 : 1024) * 1024;

Scheduler::Scheduler(Arena& arena, Picker& picker, History& history)
    : arena_(arena), picker_(picker), history_(history), stacks_(kStackBytes) {
  home_.adopt_thread();
}

// ---- a run ------------------------------------------------------------------------------------

void Scheduler::begin(Tick turn_limit) {
  turns_.begin(turn_limit);
  tasks_.begin();
  ready_.begin();
  engines_.begin();
  pace_.begin();
  waiting_.begin();
  lock_order_.begin();
  crash_.clear();
  outside_ = &picker_.current();
  home_.keep_exceptions();
  unfinished_count_ = 0;
  over_ = false;
}

Ending Scheduler::run() {
  Activation* outside = &picker_.current();
  ending_ = Ending::finished;
  if (unfinished_count_ > 0) {
    Task* first = next_task();
    if (first != nullptr) leave_for(first);
  }
  return conclude(outside);
}

Ending Scheduler::abandon() {
  home_.restore_exceptions();
  return conclude(outside_);
}

Ending Scheduler::conclude(Activation* outside) {
  if (!crash_.empty()) [[unlikely]] {
    HARNESS_CHECK(history_.counts(FaultKind::crash),
                  "a path that crashes does not leave out the oracle `crash`");
    end_with(Ending::fatal, crash_.fault());
  }
  tasks_.enter(nullptr);
  picker_.leave_to(outside);
  edge_acquire(this);
  if constexpr (kTsan) {  // Acts of abandoned tasks happened before the next run, in the same
                          // memory.
    for (const auto& task : tasks_.all()) task->fiber.forget_abandoned();
  }
  return ending_;
}

TaskId Scheduler::add_task(Label label, void* body, Task::Invoke invoke, bool daemon) {
  Task& task = tasks_.add();
  task.scheduler = this;
  task.label = label;
  task.body = body;
  task.invoke = invoke;
  task.daemon = daemon;
  task.held.clear();
  task.joined = now();
  task.name = name_next(label);
  task.root = Activation{task.name, {}, {}};
  task.activation = &task.root;
  task.runnable = ready_.add({&task, nullptr, static_cast<std::uint32_t>(task.name) | 1});
  if (!daemon) ++unfinished_count_;
  task.fiber.start(stacks_, task_main, &task);
  if (EdgeListener::current != nullptr) [[unlikely]]
    EdgeListener::current->spawned(raw(task.id));
  if (pace_.take_in(task)) ready_.make_ready(task.runnable);
  return task.id;
}

Name Scheduler::name_next(Label kind) {
  Activation& parent = picker_.current();
  const std::uint32_t nth = parent.named[kind.hash() % parent.named.size()]++;
  const Name name = derive_name(parent.name, kind.hash(), nth);
  history_.add(ActivationRecord{name, parent.name, kind, nth});
  return name;
}

void Scheduler::task_main(void* argument) {
  Task& task = *static_cast<Task*>(argument);
  Scheduler& self = *task.scheduler;
  try {
    task.invoke(task.body);
  } catch (const std::exception& exception) {
    self.escaped(exception.what());
  } catch (...) {
    self.escaped("not a std::exception");
  }
  self.note_access(task, {});
  task.state = State::done;
  self.ready_.make_unready(task.runnable);
  if (!task.daemon && --self.unfinished_count_ == 0) self.over_ = true;
  edge_release(&self);
  self.leave_for_good(self.next_task());
}

// ---- how a run ends ---------------------------------------------------------------------------

void Scheduler::escaped(const char* what) {
  Fault fault = fatal_fault(FaultKind::uncaught);
  fault.object_kind = tasks_.current()->label;
  fault.use_site = site();
  fault.activation = picker_.current().name;
  fault.detail = what;
  end_with(Ending::fatal, std::move(fault));
}

void Scheduler::end_with(Ending ending, Fault fault) {
  fault.tick = now();
  history_.add(std::move(fault));
  end(ending);
}

void Scheduler::die() {
  end(Ending::fatal);
  if (!in_task()) crash_here({{}, "only a run can die"});
  leave_for_good(nullptr);
}

/// Releases the exceptions that handlers on this stack hold, because these handlers will never end.
static void drop_caught_exceptions() {
  const auto* state = reinterpret_cast<const ExceptionState*>(abi::__cxa_get_globals());
  while (state->caught != nullptr) abi::__cxa_end_catch();
}

void Scheduler::crash(const Crash& crash) {
  Label where = site();
  if (where.empty() && in_task()) where = tasks_.current()->label;
  if (where.empty()) where = "driver";
  crash_.keep(crash, where, picker_.current().name);
  end(Ending::fatal);
  if (!in_task()) return;
  drop_caught_exceptions();
  leave_for_good(nullptr);
}

void Scheduler::out_of_turns() {
  turns_.take();
  Fault fault = fatal_fault(FaultKind::step_limit);
  fault.detail = fmt::format("still running after {} turns", turns_.limit());
  end_with(Ending::step_limit, std::move(fault));
}

void Scheduler::stuck() {
  Fault fault = scheduling::stuck_fault(tasks_);
  const bool deadlock = fault.kind == FaultKind::deadlock;
  end_with(deadlock ? Ending::deadlock : Ending::livelock, std::move(fault));
}

// ---- turns ------------------------------------------------------------------------------------

// The previously announced operation has happened now, so tasks that wait for it are checked.
void Scheduler::note_access(Task& task, Access access) {
  if (task.pending.kind == AccessKind::write || task.pending.kind == AccessKind::release)
    touch(task.pending.resource);
  task.pending = access;
  if (access.kind == AccessKind::read) task.reads.add(access.resource, turns_.ever());
}

void Scheduler::turn(Access access) {
  if (!in_task()) return;
  Task& me = *tasks_.current();
  note_access(me, access);
  if (goes_on_unasked(me)) return;
  Task* next = next_task();
  if (next != &me) leave_for(next);
}

// The usual turn of a replay: there is nothing to wake or to hold back, and the tape has no
// schedule choices. Has the same effect as next_task(), in a fifth of the time.
inline bool Scheduler::goes_on_unasked(const Task& me) {
  const bool usual = picker_.is_silent(Site::schedule) && !waiting_.pending() && !over_ &&
                     !turns_.used_up() && !pace_.holds_back(now()) && me.skew <= 1;
  if (!usual) return false;
  turns_.take();
  picker_.count_unasked(Site::schedule, static_cast<std::uint32_t>(ready_.ready().size()));
  return true;
}

// The durations range from a moment to more than a collective of eight ranks. They are bounded, so
// that a task that polls forever cannot keep out the others forever.
void Scheduler::maybe_delay(Label point) {
  static constexpr std::array<std::uint16_t, 6> kTurns{0, 4, 16, 64, 256, 1024};
  const std::uint32_t choice = picker_.pick(Site::delay, kTurns.size());
  if (choice == 0) return;
  note(EventKind::note, point, 0, kTurns[choice]);
  pace_.hold_up(*tasks_.current(), now() + kTurns[choice]);
  turn({});
}

// ---- waits ------------------------------------------------------------------------------------

void Scheduler::wait(Label what, void* context, Task::Ready ready, const TaskId* holder) {
  if (!in_task()) {  // Outside of tasks, the caller is alone with the engines.
    engines_.advance_until(ready, context);
    return;
  }
  Task& me = *tasks_.current();
  do {
    me.ready = ready;
    me.ready_context = context;
    sleep(me, State::waiting, what, holder);
    Task* next = next_task();
    if (next != &me) leave_for(next);
    me.ready = nullptr;
  } while (!ready(context));
}

void Scheduler::pause() {
  if (!in_task()) return;
  Task& me = *tasks_.current();
  note_access(me, {});
  if (!waiting_.changed_since_read(me))
    sleep(me, State::paused, "a change of what it polls", nullptr);
  Task* next = next_task();
  if (next != &me) leave_for(next);
  me.reads.clear();
}

/// Removes the task from the ready set until it is woken.
void Scheduler::sleep(Task& task, State state, Label what, const TaskId* holder) {
  task.state = state;
  task.waits_for = what;
  task.waits_for_task = holder;
  waiting_.watch(task);
  ready_.make_unready(task.runnable);
}

// ---- the next task ----------------------------------------------------------------------------

inline std::uint16_t Scheduler::choose() {
  const auto* candidates = &ready_.ready();
  if (pace_.holds_back(now()) && !Order::is_of_tasks()) [[unlikely]]
    candidates = &pace_.eligible(now());
  const Task* me = tasks_.current();
  const bool can_stay = me != nullptr && me->state == State::ready &&
                        (me->slow_until <= now() || candidates == &ready_.ready());
  return choice_.ask(*candidates, can_stay ? me : nullptr);
}

/// Returns the next task, or null when the run is over. Advances engines in between.
Scheduler::Task* Scheduler::next_task() {
  for (;;) {
    const bool plain_sailing =
        !waiting_.pending() && !ready_.empty() && !over_ && !turns_.used_up();
    if (!plain_sailing && !can_go_on()) return nullptr;
    turns_.take();
    const Runnable& next = ready_[choose()];
    if (next.task != nullptr) {
      if (next.task->skew > 1) [[unlikely]]
        pace_.hold_up(*next.task, now() + next.task->skew);
      return next.task;
    }
    next.engine->advance();
  }
}

/// Returns whether the task waits for work of others, not for a lock.
static bool waits_for_others(const scheduling::Task& task) {
  return task.state == State::waiting && task.pending.kind == AccessKind::read;
}

/// Wakes tasks. The work that they waited for is complete now, not only when they continue.
static void wake(scheduling::Waiting& waiting, const scheduling::Tasks& tasks,
                 scheduling::ReadySet& ready, Tick now) {
  constexpr std::size_t kBits = 64;
  std::uint64_t waited = 0;
  for (const auto& task : tasks.all())
    if (waits_for_others(*task)) waited |= std::uint64_t{1} << raw(task->id) % kBits;
  waiting.wake(tasks, ready);
  for (const auto& task : tasks.all())
    if ((waited >> raw(task->id) % kBits & 1) != 0 && task->state == State::ready)
      task->joined = now;
}

/// Wakes tasks. Returns whether a task or engine is ready; otherwise the run is over.
bool Scheduler::can_go_on() {
  while (!over_) {
    if (waiting_.pending()) wake(waiting_, tasks_, ready_, now());
    if (ready_.empty()) start_next_unborn();
    if (ready_.empty() && poll_engines()) continue;
    if (ready_.empty()) {
      stuck();
    } else if (turns_.used_up()) {
      out_of_turns();
    } else {
      return true;
    }
  }
  return false;
}

/// Returns whether polling made a task or engine ready.
bool Scheduler::poll_engines() {
  engines_.poll();
  return !ready_.empty() || waiting_.pending();
}

void Scheduler::leave_for(Task* next) {
  Task* me = tasks_.current();
  if (me != nullptr) me->activation = &picker_.current();
  tasks_.enter(next);
  if (next != nullptr) {
    start_next_unborn();
    picker_.leave_to(next->activation);
  }
  Fiber& from = me != nullptr ? me->fiber : home_;
  from.switch_to(next != nullptr ? next->fiber : home_);
}

void Scheduler::leave_for_good(Task* next) {
  Task& me = *tasks_.current();
  tasks_.enter(next);
  if (next != nullptr) picker_.leave_to(next->activation);
  me.fiber.finish(next != nullptr ? next->fiber : home_);
}

// With spawning one by one, a task starts once the one before it has been chosen.
inline void Scheduler::start_next_unborn() {
  if (!pace_.all_born()) {
    if (const Task* born = pace_.next_unborn(); born != nullptr) ready_.make_ready(born->runnable);
  }
}

}  // namespace harness
