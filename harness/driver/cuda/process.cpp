// SPDX-License-Identifier: Apache-2.0
// How it works. A thread that holds the driver holds the mutex, and its current world is the
// process's. The site belongs to the holder of the driver, so it is saved when the driver is
// released. Without a guide, all choices are the default. With a guide, each call is an activation,
// keyed by its thread.
//
// A thread that ends in a function of the program unwinds the calls that it is in. These release
// the driver, as they do when they return. Frames without unwind tables end the unwinding early. No
// thread holds the driver then, because the function ran without it. In both cases the end of a
// driver thread is detected by a thread-specific key, whose destructor exit() does not call.
#include "harness/driver/cuda/process.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "harness/driver/device.h"

namespace harness {

static thread_local std::size_t thread_number = 0;
static thread_local std::optional<World::Current> current;
static Device* (*make_device)() = nullptr;
static std::unique_ptr<Guide> (*make_guide)() = nullptr;
static ProcessWorld* made = nullptr;
/// Whether a thread that holds the driver is forking, and holds the driver in the child.
static bool forks_as_one = false;
/// The current call of this thread.
static thread_local Activation call;
/// Whether this thread waits in a call.
static thread_local bool is_asleep = false;
/// The activation that passed in the program's function which this thread runs.
static thread_local Name function_cause = 0;
/// The driver thread that this thread is; null for other threads.
static thread_local ProcessThread* own_thread = nullptr;
/// Whether some thread holds the driver and is not waiting.
static std::atomic<bool> is_driver_had{false};
/// Whether this thread could be cancelled before it took the driver.
static thread_local int cancel_state = PTHREAD_CANCEL_ENABLE;

OuterCall& ProcessWorld::outer_call() {
  static thread_local OuterCall outer;
  return outer;
}

void ProcessWorld::serve(Device* (*make)()) { make_device = make; }

void ProcessWorld::guide_by(std::unique_ptr<Guide> (*make)()) { make_guide = make; }

ProcessWorld::ProcessWorld() {
  HARNESS_CHECK(make_device != nullptr, "a CUDA call needs a run: no world is current");
  world_.device = make_device();
  if (make_guide != nullptr) guide_ = make_guide();
  world_.begin(guide_ != nullptr ? guide_->strategy() : answers_, ~Tick{0});
  world_.device->begin(world_);
  pthread_atfork(before_fork, after_fork, begin_child);
}

void ProcessWorld::before_fork() {
  if (!forks_as_one) made->mutex_.lock();
}

void ProcessWorld::after_fork() {
  if (!forks_as_one) made->mutex_.unlock();
}

void ProcessWorld::begin_child() {
  if (forks_as_one) return;
  ++made->generation_;
  if (made->guide_ != nullptr) made->guide_->forked();
  made->mutex_.unlock();
}

int ProcessWorld::fork_as_one() {
  forks_as_one = true;
  const pid_t child = ::fork();
  forks_as_one = false;
  return child;
}

ProcessWorld& ProcessWorld::get() {
  static ProcessWorld* const process = made = new ProcessWorld;
  return *process;
}

ProcessWorld* ProcessWorld::of(const World& world) {
  return made != nullptr && &made->world_ == &world ? made : nullptr;
}

std::size_t ProcessWorld::calling_thread() { return thread_number; }

bool ProcessWorld::is_had() { return is_driver_had.load(std::memory_order_relaxed); }

bool ProcessWorld::is_own_thread() { return own_thread != nullptr || thread_number == kOwnThread; }

bool ProcessWorld::has_turn() { return own_thread != nullptr && !own_thread->waits_; }

bool ProcessWorld::is_waiting() { return is_asleep; }

Name ProcessWorld::cause() { return function_cause; }

bool ProcessWorld::has_driver() { return current.has_value(); }

void ProcessWorld::call_no_thread_of_the_program() { thread_number = kOwnThread; }

void ProcessWorld::begin_call(Label function) {
  if (guide_ != nullptr) guide_->coming(function);
  lock();
  if (guide_ != nullptr) call = guide_->begin_call(thread_number, function);
}

void ProcessWorld::end_call() {
  const bool may_owe = guide_ != nullptr && !threads_.empty() && own_thread == nullptr;
  Turns* turns = may_owe ? guide_->turns() : nullptr;
  while (may_owe && turns == nullptr && owes_turns()) sleep(false);
  unlock();
  if (turns != nullptr) turns->let_due_go();
}

bool ProcessWorld::owes_turns() {
  return std::ranges::any_of(threads_,
                             [this](ProcessThread* thread) { return thread->takes_turn(*this); });
}

void ProcessWorld::end_failed_call(Label function, CUresult error, bool is_injected) {
  end_call();
  if (guide_ != nullptr) guide_->failed(function, error, is_injected);
}

std::uint32_t ProcessWorld::ask(Activation asking, Site site, std::uint32_t option_count,
                                const Options* options) {
  Activation* const caller = world_.picker.enter(asking);
  const std::uint32_t answer = world_.picker.pick(site, option_count, options);
  world_.picker.leave_to(caller);
  return answer;
}

void ProcessWorld::lock() {
  static std::size_t thread_count = 0;
  int cancel_state_before = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_before);
  mutex_.lock();
  is_driver_had.store(true, std::memory_order_relaxed);
  cancel_state = cancel_state_before;
  if (thread_number == 0) thread_number = ++thread_count;
  current.emplace(world_);
  if (guide_ == nullptr) return;
  world_.picker.enter(call);
  guide_->taken();
}

void ProcessWorld::unlock() {
  if (guide_ != nullptr) guide_->letting_go(world_);
  tell_faults();
  current.reset();
  if (waiting_count_ != 0) let_go_.notify_all();
  const int cancel_state_before = cancel_state;
  is_driver_had.store(false, std::memory_order_relaxed);
  mutex_.unlock();
  pthread_setcancelstate(cancel_state_before, nullptr);
}

/// Releases the driver while the calling thread waits. The thread holds it again at the end, also
/// when it is cancelled.
class ProcessWorld::Asleep {
 public:
  explicit Asleep(ProcessWorld& process)
      : process_(process), asking_(process.world_.picker.current()) {
    ++process_.waiting_count_;
    is_asleep = true;
    is_driver_had.store(false, std::memory_order_relaxed);
    pthread_setcancelstate(cancel_state_, nullptr);
  }
  ~Asleep() {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    is_asleep = false;
    is_driver_had.store(true, std::memory_order_relaxed);
    lock_.release();
    cancel_state = cancel_state_;
    --process_.waiting_count_;
    process_.world_.picker.enter(asking_);
    if (process_.guide_ != nullptr) process_.guide_->taken();
  }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

  void wait_for(std::chrono::milliseconds limit) { process_.let_go_.wait_for(lock_, limit); }
  /// Returns whether another thread of the program has run in the meantime.
  bool gives_way(Turns& turns) {
    lock_.unlock();
    const bool has_gone = turns.give_way();
    lock_.lock();
    return has_gone;
  }

 private:
  ProcessWorld& process_;
  Activation& asking_;
  int cancel_state_ = cancel_state;
  std::unique_lock<std::mutex> lock_{process_.mutex_, std::adopt_lock};
};

void ProcessWorld::sleep(bool gives_way) {
  constexpr std::chrono::milliseconds kLookAgain{1};
  if (guide_ != nullptr) guide_->letting_go(world_);
  tell_faults();
  const SiteScope no_site(world_.scheduler, {});
  Turns* turns = gives_way && guide_ != nullptr ? guide_->turns() : nullptr;
  Asleep asleep(*this);
  if (turns == nullptr || !asleep.gives_way(*turns)) asleep.wait_for(kLookAgain);
}

/// Reports at once the faults that a run would report at its end.
void ProcessWorld::tell_faults() noexcept {
  try {
    if (guide_ != nullptr) guide_->passed(world_);
    for (const Fault& fault : world_.history.faults())
      if (guide_ != nullptr)
        guide_->found(world_, fault);
      else
        std::fprintf(stderr, "afterlife: %s %s\n", fault.signature().c_str(), fault.detail.c_str());
  } catch (const std::bad_alloc&) {
    std::fputs("afterlife: a fault, and no memory left to report it\n", stderr);
  }
  world_.history.begin();
}

ProcessWorld::Open::Open(ProcessWorld* process, Name cause) : process_(process) {
  if (process_ == nullptr) return;
  outer_cause_ = std::exchange(function_cause, cause);
  site_ = process_->world_.scheduler.site();
  activation_ = &process_->world_.picker.current();
  call_ = call;
  SiteScope::rename(process_->world_.scheduler, {});
  process_->unlock();
}

ProcessWorld::Open::~Open() {
  if (process_ == nullptr) return;
  process_->lock();
  function_cause = outer_cause_;
  call = call_;
  SiteScope::rename(process_->world_.scheduler, site_);
  process_->world_.picker.enter(*activation_);
}

// ---- driver threads ---------------------------------------------------------------------------

void ProcessThread::post(ProcessWorld& process, std::function<void()> act,
                         std::function<void()> finish) {
  tasks_.push_back({std::move(act), std::move(finish)});
  is_due_ = true;
  if (std::ranges::find(process.threads_, this) == process.threads_.end())
    process.threads_.push_back(this);
  if (started_in_ != process.generation()) start(process);
  Turns* turns = process.guide_ != nullptr ? process.guide_->turns() : nullptr;
  if (turns != nullptr && turn_ == nullptr) turn_ = turns->add_own(asks_due_);
  posted_->notify_one();
}

// After fork(), the child's copy of the condition variable still counts the parent's waiting
// thread, so it is abandoned.
void ProcessThread::start(ProcessWorld& process) {
  started_in_ = process.generation();
  (void)posted_.release();
  turn_ = nullptr;
  posted_ = std::make_unique<std::condition_variable_any>();
  id_ = 0;
  if (!tasks_.front().act) tasks_.pop_front();  // The parent does it.
  start_thread(process);
}

void ProcessThread::start_thread(ProcessWorld& process) {
  std::thread([this, &process] { serve(process); }).detach();
}

/// Starts another thread in place of one that ended.
void ProcessThread::replace(void* ended) noexcept {
  static_cast<ProcessThread*>(ended)->start_thread(ProcessWorld::get());
}

void ProcessThread::serve(ProcessWorld& process) {
  static const pthread_key_t key = [] {
    pthread_key_t made_key = 0;
    HARNESS_CHECK(pthread_key_create(&made_key, replace) == 0, "the C library has a key left");
    return made_key;
  }();
  pthread_setspecific(key, this);
  own_thread = this;
  pthread_setname_np(pthread_self(), kHostFunctionThread);
  const std::lock_guard lock(process);
  id_ = ::gettid();
  for (;;) {
    await_task(process);
    do_first();
    waits_ = false;
    look_count_ = sleep_count_ = 0;
    // Advance the work that waited for this item.
    process.world().scheduler.wait_until({}, {}, [] { return false; });
  }
}

void ProcessThread::await_task(ProcessWorld& process) {
  is_due_ = !tasks_.empty();
  if (turn_ == nullptr) posted_->wait(process, [this] { return !tasks_.empty(); });
  if (turn_ == nullptr) return;
  process.unlock();
  process.guide_->turns()->await_due(turn_);
  process.lock();
}

/// A thread that only waits for the driver sleeps for a shorter time.
bool ProcessThread::takes_turn(const ProcessWorld& process) {
  constexpr unsigned kSleeps = 10;
  constexpr unsigned kLooks = 500;  // It waits in a loop.
  if (tasks_.empty() || look_count_ == kLooks || started_in_ != process.generation()) return false;
  const bool sleeps = id_ != 0 && process.guide_->is_asleep(id_);
  if (waits_ && sleeps) return false;
  sleep_count_ = sleeps ? sleep_count_ + 1 : 0;
  waits_ = sleep_count_ == kSleeps || ++look_count_ == kLooks;
  return !waits_;
}

void ProcessThread::do_first() {
  Task& task = tasks_.front();
  if (task.act) std::exchange(task.act, nullptr)();
  if (task.finish) std::exchange(task.finish, nullptr)();
  tasks_.pop_front();
}

}  // namespace harness
