// Scheduler: runs tasks one at a time on one OS thread, and asks who goes next at every turn.
//
// A task announces before it acts: turn(access) comes *before* each visible operation and may hand
// the thread to another task, or let an engine (a device stream) advance. The plain answer is to
// stay. Waiting is a predicate, never a spin, so that "nobody can go on" is seen at once.
//
// How a run ends: every task that must finish has finished; or a fatal fault, a deadlock, a
// livelock or the step limit stopped it. Tasks in mid-air are abandoned: never resumed, never
// unwound.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/arena.h"
#include "harness/crash.h"
#include "harness/fiber.h"
#include "harness/history.h"
#include "harness/pick.h"

namespace harness {

enum class TaskId : std::uint16_t { none = 0xffff };

/// A process of the simulated machine: its tasks share handles, contexts and an address space, and
/// reach those of another only by IPC. Where nobody says otherwise, everything is in the first.
enum class ProcessId : std::uint16_t { first = 0 };

/// Something that can advance without a stack of its own: a device stream. It is an option of
/// schedule questions while it is ready.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Name name() const = 0;
  virtual Label label() const = 0;
  virtual Access pending() const = 0;
  /// Does one step. Must not turn or wait.
  virtual void advance() = 0;
  /// Nobody can go on: looks whether something changed that nobody announced.
  virtual void poll() {}
};

enum class Ending : std::uint8_t { finished, fatal, deadlock, livelock, step_limit };

/// Ownership: owns the tasks and their stacks, and keeps both from run to run; borrows the rest.
/// Threads: confined to the thread that calls run().
class Scheduler {
 public:
  Scheduler(Arena& arena, Picker& picker, History& history);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // ---- before and around a run ----

  /// Forgets the previous run. At most `turn_limit` turns will be taken.
  void begin(Tick turn_limit);

  /// Runs until every task that must finish has, or until something else ends the run.
  Ending run();

  /// With `on`, each task starts only once the one spawned before it has taken its first turn. Off
  /// by default: spawn order hides bugs (`static_reorder` against `reorder`, Zhao et al. 2025).
  void spawn_one_by_one(bool on) { one_by_one_ = on; }

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

  /// Announces `access`, then sleeps until `ready()` holds; it is asked again whenever
  /// `access.resource` is touched. `ready` must not turn. `what` and `*holder`, which may change
  /// meanwhile, are for the story of a deadlock.
  template <class Ready>
  void wait_until(Access access, Label what, Ready ready, const TaskId* holder = nullptr) {
    wait(
        access, what, &ready, [](void* context) { return (*static_cast<Ready*>(context))(); },
        holder);
  }

  /// For tasks that poll: sleeps until something this task read since its last pause is written.
  void pause();

  /// Says that `resource` changed, to those who wait for it. Writes that are announced by turn()
  /// say so themselves.
  void touch(Resource resource) {
    written_[resource % kWrittenCount] = clock_ + tick_ + 1;
    if ((watched_[resource % kWatchCount] | asked_for_) != 0) [[unlikely]]
      remember_touched(resource);
  }

  /// The current task met a fatal fault: the run is over. Outside of tasks, the run is left.
  [[noreturn]] void die();

  /// The code under test crashed: the run is over. Returns outside of tasks only, where the caller
  /// knows how to leave. Allocates nothing: it may run in a signal handler.
  void crash(const Crash& crash);

  /// Ends a run that was left outside of its tasks, in run() or before it.
  Ending abandon();

  /// Makes `task` take at most one of every `ratio` turns while others can go on. 1 = full speed.
  void set_skew(TaskId task, std::uint32_t ratio);
  /// The same for every task of `process`, also those that are still to be spawned.
  void set_skew(ProcessId process, std::uint32_t ratio);

  /// A named place where the running task may be held up while others can go on: a pick says
  /// whether, and for how many turns. Plain, and without an actor that allows delays: not at all.
  void delay_point(Label point) {
    if (delays_allowed_ && current_ != nullptr) [[unlikely]]
      maybe_delay(point);
  }
  void allow_delays() { delays_allowed_ = true; }

  // ---- engines ----

  std::uint16_t add_engine(Engine& engine);
  void set_engine_ready(std::uint16_t id, bool ready);
  /// Advances ready engines, in order, until none is: what a context synchronisation waits for.
  bool any_engine_ready() const;

  // ---- what code may ask ----

  Tick now() const { return tick_; }
  /// The same, as it changes.
  const Tick& turns() const { return tick_; }
  bool in_task() const { return current_ != nullptr; }
  TaskId current() const { return current_ != nullptr ? current_->id : TaskId::none; }
  Name task_name(TaskId id) const { return tasks_[raw(id)]->name; }
  Label task_label(TaskId id) const { return tasks_[raw(id)]->label; }
  std::size_t task_count() const { return task_count_; }

  /// The process that the running task belongs to. A task belongs to that of whoever spawned it.
  ProcessId process() const { return current_ != nullptr ? current_->process : outside_process_; }
  ProcessId exchange_process(ProcessId process) {
    return std::exchange(current_ != nullptr ? current_->process : outside_process_, process);
  }
  ProcessId task_process(TaskId id) const { return tasks_[raw(id)]->process; }

  /// The function or op that is running, for birth, death and use sites. Belongs to the task.
  Label site() const { return current_ != nullptr ? current_->site : outside_site_; }
  Label exchange_site(Label site) {
    return std::exchange(current_ != nullptr ? current_->site : outside_site_, site);
  }

  Picker& picker() { return picker_; }
  History& history() { return history_; }
  Arena& arena() { return arena_; }

  /// Names the next thing of `kind` that the current activation causes, and remembers the name.
  Name name_next(Label kind);

  /// Records an event of the current task in its current activation.
  void note(EventKind kind, Label what, Name object = 0, std::uint64_t value = 0) {
    history_.add(Event{kind, raw(current()), static_cast<std::uint32_t>(tick_), what,
                       picker_.current().name, object, value});
  }

 private:
  using Invoke = void (*)(void* body);
  using Ready = bool (*)(void* context);
  enum class State : std::uint8_t { unborn, ready, waiting, paused, done };

  static constexpr std::size_t kReadLimit = 32;
  static constexpr std::size_t kWrittenCount = 512;
  static constexpr std::size_t kWatchCount = 64;

  struct Task {
    Fiber fiber;
    Scheduler* scheduler = nullptr;
    TaskId id = TaskId::none;
    std::uint16_t party = 0;
    State state = State::done;
    bool daemon = false;
    bool reads_overflow = false;
    std::uint8_t read_count = 0;
    Label label;
    Label site;
    Name name = 0;
    Access pending;
    void* body = nullptr;
    Invoke invoke = nullptr;
    Activation root;
    Activation* activation = nullptr;
    Label waits_for;                         ///< In words, while waiting.
    const TaskId* waits_for_task = nullptr;  ///< The task that holds it; may be null.
    Ready ready = nullptr;                   ///< Null unless waiting.
    void* ready_context = nullptr;
    ProcessId process = ProcessId::first;
    std::uint32_t skew = 1;
    Tick slow_until = 0;
    struct Read {
      Resource resource;
      Tick time;  ///< By the clock of all runs.
    };
    std::array<Read, kReadLimit> reads;  ///< Since the last pause.
  };

  /// A task or an engine; its index is its place in the order of options.
  struct Party {
    Task* task;
    Engine* engine;
    std::uint32_t value;  ///< Its value on a tape.
  };

  class ScheduleOptions final : public Options {
   public:
    explicit ScheduleOptions(const Scheduler& scheduler) : scheduler_(scheduler) {}
    std::uint32_t value(std::uint32_t index) const override;
    Access access(std::uint32_t index) const override;

   private:
    const Scheduler& scheduler_;
  };

  template <class Body>
  static void invoke(void* body) {
    (*static_cast<Body*>(body))();
  }

  TaskId add_task(Label label, void* body, Invoke invoke, bool daemon);
  Task& fresh_task();
  static void task_main(void* task);
  void start_next_unborn();

  void note_access(Task& task, Access access);
  void wait(Access access, Label what, void* context, Ready ready, const TaskId* holder);
  void remember_touched(Resource resource);
  void wake_waiters();
  void watch(const Task& task);
  bool touched(Resource resource) const;
  bool should_wake(const Task& task) const;
  bool touched_since_read(const Task& task) const;

  void make_ready(std::uint16_t party);
  void make_unready(std::uint16_t party);
  std::uint16_t party_of_option(std::uint32_t index) const;
  void hold_up(Task& task, Tick turns);
  void maybe_delay(Label point);
  std::uint32_t process_skew(ProcessId process) const;
  [[gnu::noinline]] void hold_back_the_slow();
  std::uint16_t choose();
  std::uint16_t plainest() const;
  bool goes_on_unasked(const Task& me);
  Task* next_task();
  [[gnu::noinline]] bool can_go_on();
  void out_of_turns();
  void leave_for(Task* next);
  [[noreturn]] void leave_for_good(Task* next);
  bool poll_engines();
  void stuck();
  void escaped(const char* what);
  void report_crash();
  Ending conclude(Activation* outside);
  void end_with(Ending ending, Fault fault);
  std::string who_waits() const;
  void end(Ending ending) {
    ending_ = ending;
    over_ = true;
  }

  Arena& arena_;
  Picker& picker_;
  History& history_;
  StackPool stacks_;
  Fiber home_;
  ScheduleOptions options_{*this};

  std::vector<std::unique_ptr<Task>> tasks_;
  std::size_t task_count_ = 0;
  std::size_t unfinished_count_ = 0;  ///< Tasks that must finish and have not.
  std::vector<Party> parties_;
  std::vector<std::uint16_t> ready_;     ///< Parties that can go on, ascending.
  std::vector<std::uint16_t> eligible_;  ///< ready_ without those whom skew holds back.
  bool eligible_stale_ = false;          ///< Something changed since eligible_ was made.
  Tick eligible_until_ = 0;              ///< When one that skew holds back may go on.
  const std::vector<std::uint16_t>* choices_ = &ready_;
  std::uint16_t stay_ = 0;  ///< The party that option 0 names, in the question being asked.

  Task* current_ = nullptr;
  Tick tick_ = 0;
  Tick turn_limit_ = 0;
  Crash crash_;       ///< Empty where nothing crashed.
  Label crash_site_;  ///< The site that ran when it crashed.
  Name crash_activation_ = 0;
  Activation* outside_ = nullptr;  ///< Where the run began.
  Ending ending_ = Ending::finished;
  bool over_ = false;
  bool one_by_one_ = false;
  std::size_t next_unborn_ = 0;
  Tick slow_horizon_ = 0;  ///< Nobody is held back after this.
  bool delays_allowed_ = false;
  std::vector<std::uint32_t> process_skews_;  ///< By process; those beyond the end have full speed.
  Label outside_site_;
  ProcessId outside_process_ = ProcessId::first;

  std::vector<Resource> touched_;  ///< Since waiters were last asked.
  std::uint64_t asked_for_ = 0;    ///< Which tasks may wait for one of them: bits of ids.
  /// The tasks that sleep until a resource is touched: by its low bits, the low bits of their ids.
  /// A bit too many only asks too often.
  std::array<std::uint64_t, kWatchCount> watched_{};
  /// When a resource was last written, by its low bits: a clash only keeps a poller awake once
  /// more. Counted over all runs, so that nothing needs to be cleared between them.
  std::array<Tick, kWrittenCount> written_{};
  Tick clock_ = 0;  ///< When this run began.
};

/// Names the function that is running, for as long as it lives.
class SiteScope {
 public:
  SiteScope(Scheduler& scheduler, Label site)
      : scheduler_(scheduler), previous_(scheduler.exchange_site(site)) {}
  ~SiteScope() { scheduler_.exchange_site(previous_); }
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

 private:
  Scheduler& scheduler_;
  Label previous_;
};

/// Makes what is spawned and called belong to a process, for as long as it lives.
class ProcessScope {
 public:
  ProcessScope(Scheduler& scheduler, ProcessId process)
      : scheduler_(scheduler), previous_(scheduler.exchange_process(process)) {}
  ~ProcessScope() { scheduler_.exchange_process(previous_); }
  ProcessScope(const ProcessScope&) = delete;
  ProcessScope& operator=(const ProcessScope&) = delete;

 private:
  Scheduler& scheduler_;
  ProcessId previous_;
};

/// Makes an activation the one that asks, for as long as it lives. Must be left in the task that
/// entered it.
class ActivationScope {
 public:
  /// Enters op slot `slot` of root task `task`.
  ActivationScope(Scheduler& scheduler, std::uint32_t task, std::uint32_t slot);
  /// Enters the `nth` activation of `kind` that `parent` caused.
  ActivationScope(Scheduler& scheduler, Name parent, Label kind, std::uint32_t nth);
  ~ActivationScope() { scheduler_.picker().leave_to(previous_); }
  ActivationScope(const ActivationScope&) = delete;
  ActivationScope& operator=(const ActivationScope&) = delete;

 private:
  Scheduler& scheduler_;
  Activation activation_;
  Activation* previous_;
};

}  // namespace harness
