// SPDX-License-Identifier: Apache-2.0
// How it works. Only the thread with the baton competes for the interpreter's lock, so the
// interpreter itself never selects the next thread. A thread releases the lock before it passes on
// the baton.
#include "harness/client/inside/libcuda/python/threads.h"

#include <dlfcn.h>

#include <cerrno>

#include "harness/client/inside/libcuda/python/api.h"
#include "harness/client/inside/libcuda/python/code.h"
#include "harness/client/inside/libcuda/python/python.h"
#include "harness/client/inside/libcuda/races/host_races.h"
#include "harness/client/inside/libcuda/turns/held_clock.h"
#include "harness/client/inside/libcuda/turns/native_threads.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

PythonThreads* threads = nullptr;

BatonThread& thread_of(void* hooked) { return *static_cast<BatonThread*>(hooked); }

std::chrono::nanoseconds time_until(const Moment& end) {
  timespec now{};
  clock_gettime(end.clock, &now);
  return std::chrono::seconds(end.at.tv_sec - now.tv_sec) +
         std::chrono::nanoseconds(end.at.tv_nsec - now.tv_nsec);
}

Baton::Limit time_until(const Moment* end) {
  return end != nullptr ? Baton::Limit(time_until(*end)) : std::nullopt;
}

bool has_lock() {
  const Python* interpreter = Python::find();
  return interpreter != nullptr && interpreter->has_lock();
}

}  // namespace

/// The functions that the preloaded library calls.
struct PythonThreads::Hooks {
  static void* starting(bool is_pythons) {
    const Python* interpreter = Python::find();
    if (interpreter == nullptr && !is_pythons) return NativeThreads::start_another();
    if (interpreter == nullptr || !is_pythons || !interpreter->has_lock()) return nullptr;
    const std::string shown = interpreter->starting_thread();
    if (shown.empty()) return nullptr;
    ProcessWorld::get();  // Creates a guide, if orders exist.
    return threads != nullptr ? threads->start_another(shown) : nullptr;
  }

  static void is_started(void* hooked, pthread_t handle) {
    if (thread_of(hooked).is_native) NativeThreads::is_started(thread_of(hooked), handle);
  }
  static void not_started(void* hooked) { threads->baton_.remove(thread_of(hooked)); }
  static void started(void* hooked) {
    const Baton::Inside inside;
    NativeThreads::leave_at_end(thread_of(hooked));
    threads->baton_.enter(thread_of(hooked));
    HostRaces::begins();
  }

  /// Returns the calling thread if others may run while it waits in the C library, else null.
  static BatonThread* waiting_thread() {
    BatonThread* me = Baton::mine();
    const bool may_wait = me != nullptr && !me->is_native && threads->are_several();
    return may_wait && !has_lock() ? me : nullptr;
  }

  /// A thread leaves only after its destructors, for which it may need another turn.
  static void joins(pthread_t handle) {
    BatonThread* me = waiting_thread();
    BatonThread* joined = me != nullptr ? threads->baton_.find(handle) : nullptr;
    if (joined == nullptr || joined == me) return;
    const std::function<bool()> done = [joined] {
      return joined->state == BatonThread::State::over;
    };
    while (threads->baton_.wait(*me, done, std::nullopt) != Woken::ready) {
    }
  }

  static Woken waits(sem_t* semaphore, const Moment* limit) {
    BatonThread* me = waiting_thread();
    if (me == nullptr) return Woken::unwatched;
    const std::function<bool()> done = [semaphore] {
      int value = 0;
      return sem_getvalue(semaphore, &value) == 0 && value > 0;
    };
    while (sem_trywait(semaphore) != 0) {
      const Woken woken = threads->baton_.wait(*me, done, time_until(limit));
      if (woken != Woken::ready) return woken;
    }
    return Woken::ready;
  }

  static Woken sleeps(const Moment& end) {
    BatonThread* me = waiting_thread();
    if (me == nullptr) return Woken::unwatched;
    return threads->baton_.wait(*me, [] { return false; }, time_until(end));
  }

  static Woken awaits(bool (*is_there)(void* what), void* what, const Moment* limit) {
    BatonThread* me = waiting_thread();
    if (me == nullptr) return Woken::unwatched;
    const std::function<bool()> done = [is_there, what] { return is_there(what); };
    return threads->baton_.await(*me, done, time_until(limit));
  }

  static ThreadHooks table() {
    return {&HeldClock::skipped(),
            starting,
            is_started,
            not_started,
            started,
            joins,
            waits,
            sleeps,
            awaits};
  }
};

void PythonThreads::listen() {
  void* take = dlsym(RTLD_DEFAULT, kTakeThreadHooks);
  static const ThreadHooks kTable = Hooks::table();
  if (take != nullptr) reinterpret_cast<TakeThreadHooks>(take)(&kTable);
}

PythonThreads::PythonThreads(Guide& guide) : guide_(guide), baton_(*new Baton(guide)) {
  threads = this;
}

BatonThread* PythonThreads::start_another(const std::string& shown) {
  BatonThread* me = Baton::mine();
  if (me == nullptr) {
    if (!baton_.threads().empty()) return nullptr;
    PythonCode::prepare();
    me = &baton_.begin(guide_.name_first_thread(), "MainThread", false);
    if (!Python::find()->watch_new_threads()) guide_.are_not_watched();
  }
  const Name name = derive_name(me->name, hash_name("Python thread"), ++me->child_count);
  return &baton_.add(name, shown);
}

void PythonThreads::step(BatonThread& me, Baton::At at, bool may_ask) {
  BatonThread* other = baton_.next(me, at, may_ask);
  if (other == nullptr) return;
  if (!has_lock()) return baton_.hand_to(me, *other);
  const PythonUnlocked unlocked;
  baton_.hand_to(me, *other);
}

void PythonThreads::line(const Python::Line& line, bool may_switch, bool forces) {
  BatonThread* me = Baton::mine();
  if (me == nullptr || !are_several()) return;
  me->file = &line.file;
  me->line = line.number;
  me->line_name = line.name;
  step(*me, may_switch ? Baton::At::line : Baton::At::unseen_line, may_switch || forces);
}

void PythonThreads::library_line() {
  BatonThread* me = Baton::mine();
  if (me != nullptr && are_several()) step(*me, Baton::At::line, false);
}

void PythonThreads::call(bool forces) {
  BatonThread* me = Baton::mine();
  if (me == nullptr || !are_several()) return;
  if (!has_lock())
    step(*me, Baton::At::call, true);
  else if (forces)
    step(*me, Baton::At::locked_call, true);
}

std::string PythonThreads::name_of(pid_t thread) const {
  for (const BatonThread& one : baton_.threads())
    if (one.id == thread) return one.shown;
  return {};
}

bool PythonThreads::others_may_go_on() const {
  BatonThread* me = Baton::mine();
  return me != nullptr && are_several() && !has_lock() && baton_.others_may_go_on(*me);
}

}  // namespace harness::entries
