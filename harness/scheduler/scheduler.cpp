// How it works. Every task is a fiber; the thread that calls run() is one too ("home"). Whoever
// holds the thread asks the schedule question itself and switches straight to the answer, so a turn
// that stays costs no switch and one that goes costs one. Engines have no stack: they advance on
// the asker's, and the question is asked again.
//
// ready_ lists who can go on, ascending by party. Option 0 is the current task while it can stay,
// else the first task in the list; the others follow in order. Waiters are asked again only when a
// resource that they wait for was touched.
#include "harness/scheduler.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "harness/sanitizers.h"

namespace harness {

static constexpr std::size_t kStackBytes = (kAsan || kTsan ? 256 : 64) * 1024;

Scheduler::Scheduler(Arena& arena, Picker& picker, History& history)
    : arena_(arena), picker_(picker), history_(history), stacks_(kStackBytes) {
  home_.adopt_thread();
}

Scheduler::~Scheduler() = default;

// ---- a run ------------------------------------------------------------------------------------

void Scheduler::begin(Tick turn_limit) {
  task_count_ = 0;
  unfinished_count_ = 0;
  parties_.clear();
  ready_.clear();
  current_ = nullptr;
  clock_ += tick_ + 1;
  tick_ = 0;
  turn_limit_ = turn_limit;
  crash_ = {};
  outside_ = &picker_.current();
  home_.keep_exceptions();
  over_ = false;
  one_by_one_ = false;
  next_unborn_ = 0;
  slow_horizon_ = 0;
  eligible_stale_ = true;
  delays_allowed_ = false;
  process_skews_.clear();
  outside_site_ = {};
  outside_process_ = ProcessId::first;
  touched_.clear();
  asked_for_ = 0;
  watched_.fill(0);
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
  if (!crash_.signal.empty()) [[unlikely]]
    report_crash();
  current_ = nullptr;
  picker_.leave_to(outside);
  edge_acquire(this);
  if constexpr (kTsan) {  // Acts of abandoned tasks happened before the next run, in the same
                          // memory.
    for (std::size_t i = 0; i < task_count_; ++i) tasks_[i]->fiber.forget_abandoned();
  }
  return ending_;
}

TaskId Scheduler::add_task(Label label, void* body, Invoke invoke, bool daemon) {
  Task& task = fresh_task();
  task.label = label;
  task.body = body;
  task.invoke = invoke;
  task.daemon = daemon;
  task.name = name_next(label);
  task.root = Activation{task.name, {}, {}};
  task.activation = &task.root;
  task.party = static_cast<std::uint16_t>(parties_.size());
  parties_.push_back({&task, nullptr, static_cast<std::uint32_t>(task.name) | 1});
  if (!daemon) ++unfinished_count_;
  task.fiber.start(stacks_, task_main, &task);
  const bool waits_its_turn = one_by_one_ && task_count_ > 1 && !daemon;
  task.state = State::unborn;
  if (!waits_its_turn) make_ready(task.party);
  return task.id;
}

Name Scheduler::name_next(Label kind) {
  Activation& parent = picker_.current();
  const std::uint32_t nth = parent.named[kind.hash() % parent.named.size()]++;
  const Name name = derive_name(parent.name, kind.hash(), nth);
  history_.add(ActivationRecord{name, parent.name, kind, nth});
  return name;
}

Scheduler::Task& Scheduler::fresh_task() {
  if (task_count_ == tasks_.size()) tasks_.push_back(std::make_unique<Task>());
  Task& task = *tasks_[task_count_];
  task.scheduler = this;
  task.id = static_cast<TaskId>(task_count_++);
  task.site = {};
  task.pending = {};
  task.ready = nullptr;
  task.process = process();
  task.skew = process_skew(task.process);
  task.slow_until = 0;
  task.read_count = 0;
  task.reads_overflow = false;
  return task;
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
  self.make_unready(task.party);
  if (!task.daemon && --self.unfinished_count_ == 0) self.over_ = true;
  edge_release(&self);
  self.leave_for_good(self.next_task());
}

void Scheduler::escaped(const char* what) {
  Fault fault = fatal_fault(FaultKind::uncaught);
  fault.object_kind = current_->label;
  fault.use_site = current_->site;
  fault.activation = picker_.current().name;
  fault.detail = what;
  end_with(Ending::fatal, std::move(fault));
}

void Scheduler::end_with(Ending ending, Fault fault) {
  fault.tick = tick_;
  history_.add(std::move(fault));
  end(ending);
}

void Scheduler::die() {
  end(Ending::fatal);
  if (current_ == nullptr) crash_here({{}, "only a run can die"});
  leave_for_good(nullptr);
}

/// Lets go of the exceptions that handlers of this stack hold, since none of them will end.
static void drop_caught_exceptions() {
  const auto* state = reinterpret_cast<const ExceptionState*>(abi::__cxa_get_globals());
  while (state->caught != nullptr) abi::__cxa_end_catch();
}

void Scheduler::crash(const Crash& crash) {
  crash_ = crash;
  crash_site_ = site();
  if (crash_site_.empty() && current_ != nullptr) crash_site_ = current_->label;
  if (crash_site_.empty()) crash_site_ = "driver";
  crash_activation_ = picker_.current().name;
  end(Ending::fatal);
  if (current_ == nullptr) return;
  drop_caught_exceptions();
  leave_for_good(nullptr);
}

void Scheduler::report_crash() {
  HARNESS_CHECK(history_.counts(FaultKind::crash), "a path that crashes lists the oracle `crash`");
  Fault fault = fatal_fault(FaultKind::crash);
  fault.object_kind = crash_.signal;
  fault.use_site = crash_site_;
  fault.activation = crash_activation_;
  fault.code = crash_.code;
  fault.detail = crash_.words;
  end_with(Ending::fatal, std::move(fault));
}

// ---- turns ------------------------------------------------------------------------------------

// The operation announced before this one has happened by now: those who wait for it may be asked.
void Scheduler::note_access(Task& task, Access access) {
  if (task.pending.kind == AccessKind::write || task.pending.kind == AccessKind::release)
    touch(task.pending.resource);
  task.pending = access;
  if (access.kind == AccessKind::read) {
    if (task.read_count < kReadLimit)
      task.reads[task.read_count++] = {access.resource, clock_ + tick_};
    else
      task.reads_overflow = true;
  }
}

void Scheduler::turn(Access access) {
  if (current_ == nullptr) return;
  Task& me = *current_;
  note_access(me, access);
  if (goes_on_unasked(me)) return;
  Task* next = next_task();
  if (next != &me) leave_for(next);
}

// The usual turn of a replay: nobody is to be woken or held back, and the tape says nothing of
// schedules. The same as next_task() would do, in a fifth of the time.
inline bool Scheduler::goes_on_unasked(const Task& me) {
  const bool usual = picker_.is_silent(Site::schedule) && touched_.empty() && !over_ &&
                     tick_ < turn_limit_ && slow_horizon_ <= tick_ && me.skew <= 1;
  if (!usual) return false;
  ++tick_;
  picker_.count_unasked(Site::schedule, static_cast<std::uint32_t>(ready_.size()));
  return true;
}

// ---- who goes next ----------------------------------------------------------------------------

void Scheduler::make_ready(std::uint16_t party) {
  if (Task* task = parties_[party].task; task != nullptr) {
    task->state = State::ready;
  }
  ready_.insert(std::lower_bound(ready_.begin(), ready_.end(), party), party);
  eligible_stale_ = true;
}

void Scheduler::make_unready(std::uint16_t party) {
  const auto at = std::lower_bound(ready_.begin(), ready_.end(), party);
  if (at == ready_.end() || *at != party) return;
  ready_.erase(at);
  eligible_stale_ = true;
}

// Option 0 is stay_; the others are the rest in ascending order.
inline std::uint16_t Scheduler::party_of_option(std::uint32_t index) const {
  if (index == 0) return stay_;
  const std::uint16_t party = (*choices_)[index - 1];
  return party < stay_ ? party : (*choices_)[index];
}

std::uint32_t Scheduler::ScheduleOptions::value(std::uint32_t index) const {
  return scheduler_.parties_[scheduler_.party_of_option(index)].value;
}

Access Scheduler::ScheduleOptions::access(std::uint32_t index) const {
  const Party& party = scheduler_.parties_[scheduler_.party_of_option(index)];
  return party.task != nullptr ? party.task->pending : party.engine->pending();
}

inline std::uint16_t Scheduler::choose() {
  choices_ = &ready_;
  if (slow_horizon_ > tick_) [[unlikely]]
    hold_back_the_slow();
  const bool can_stay = current_ != nullptr && current_->state == State::ready &&
                        (current_->slow_until <= tick_ || choices_ == &ready_);
  stay_ = can_stay ? current_->party : plainest();
  const std::uint32_t index = picker_.pick(
      Site::schedule, static_cast<std::uint32_t>(choices_->size()), &options_,
      [this](std::uint32_t option) { return parties_[party_of_option(option)].value; });
  return party_of_option(index);
}

// Where nobody can stay: the first task, and an engine only where there is no task.
std::uint16_t Scheduler::plainest() const {
  for (const std::uint16_t party : *choices_)
    if (parties_[party].task != nullptr) return party;
  return choices_->front();
}

/// Returns the task that goes next, or null when the run is over. Advances engines on the way.
Scheduler::Task* Scheduler::next_task() {
  for (;;) {
    const bool plain_sailing = touched_.empty() && !ready_.empty() && !over_ && tick_ < turn_limit_;
    if (!plain_sailing && !can_go_on()) return nullptr;
    ++tick_;
    const Party& party = parties_[choose()];
    if (party.task != nullptr) {
      if (party.task->skew > 1) [[unlikely]]
        hold_up(*party.task, party.task->skew);
      return party.task;
    }
    party.engine->advance();
  }
}

/// Wakes whom it can. Returns whether somebody is ready; otherwise the run is over.
bool Scheduler::can_go_on() {
  while (!over_) {
    if (!touched_.empty()) wake_waiters();
    if (ready_.empty()) start_next_unborn();
    if (ready_.empty() && poll_engines()) continue;
    if (ready_.empty()) {
      stuck();
    } else if (tick_ >= turn_limit_) {
      out_of_turns();
    } else {
      return true;
    }
  }
  return false;
}

void Scheduler::leave_for(Task* next) {
  Task* me = current_;
  if (me != nullptr) me->activation = &picker_.current();
  current_ = next;
  if (next != nullptr) {
    if (next_unborn_ < task_count_) start_next_unborn();
    picker_.leave_to(next->activation);
  }
  Fiber& from = me != nullptr ? me->fiber : home_;
  from.switch_to(next != nullptr ? next->fiber : home_);
}

void Scheduler::leave_for_good(Task* next) {
  Task& me = *current_;
  current_ = next;
  if (next != nullptr) picker_.leave_to(next->activation);
  me.fiber.finish(next != nullptr ? next->fiber : home_);
}

// One by one: a task is born once the one before it has been chosen.
void Scheduler::start_next_unborn() {
  for (; next_unborn_ < task_count_; ++next_unborn_) {
    Task& task = *tasks_[next_unborn_];
    if (task.state != State::unborn) continue;
    make_ready(task.party);
    ++next_unborn_;
    return;
  }
}

// ---- scopes -----------------------------------------------------------------------------------

ActivationScope::ActivationScope(Scheduler& scheduler, std::uint32_t task, std::uint32_t slot)
    : scheduler_(scheduler),
      activation_{slot_name(task, slot), {}, {}},
      previous_(scheduler.picker().enter(activation_)) {}

ActivationScope::ActivationScope(Scheduler& scheduler, Name parent, Label kind, std::uint32_t nth)
    : scheduler_(scheduler),
      activation_{derive_name(parent, kind.hash(), nth), {}, {}},
      previous_(scheduler.picker().enter(activation_)) {
  scheduler.history().add(ActivationRecord{activation_.name, parent, kind, nth});
}

}  // namespace harness
