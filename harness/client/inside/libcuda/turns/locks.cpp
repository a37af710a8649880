// SPDX-License-Identifier: Apache-2.0
// How it works. A thread first tries the system's lock without waiting. If it is taken, the thread
// parks. A thread that releases the lock wakes all that are parked on it, and the next one to run
// gets it. Conditions and barriers are implemented by the baton alone.
#include "harness/client/inside/libcuda/turns/locks.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/client/inside/libcuda/races/host_races.h"
#include "harness/client/inside/libcuda/turns/doing.h"

namespace harness::entries {
namespace {

/// In the past, so that the call does not wait; its errors are those of the system.
constexpr timespec kNow{0, 0};

void hold(BatonThread& me, const void* lock, int status) {
  if (status != 0 && status != EOWNERDEAD) return;
  me.holds.push_back(lock);
  HostRaces::acquired(lock);
}

void let_go(BatonThread& me, const void* lock) {
  const auto held = std::find(me.holds.rbegin(), me.holds.rend(), lock);
  if (held != me.holds.rend()) me.holds.erase(std::next(held).base());
}

/// The threads are ordered as soon as another one can take the lock.
void let_go_in_order(BatonThread& me, const void* lock) {
  HostRaces::releases(lock);
  let_go(me, lock);
}

// ---- mutexes ----------------------------------------------------------------------------------

int try_mutex(pthread_mutex_t* mutex) {
  const int status = pthread_mutex_trylock(mutex);
  return status == EBUSY ? pthread_mutex_timedlock(mutex, &kNow) : status;
}

int lock(pthread_mutex_t* mutex, const Moment* limit) {
  const Doing doing("pthread_mutex_lock");
  if (!doing) return kNotOurs;
  const int status = doing.take(mutex, limit, [&] { return try_mutex(mutex); });
  hold(*doing, mutex, status);
  return status;
}

int try_lock(pthread_mutex_t* mutex) {
  const Doing doing("pthread_mutex_trylock");
  if (!doing) return kNotOurs;
  doing.offer();
  const int status = pthread_mutex_trylock(mutex);
  hold(*doing, mutex, status);
  return status;
}

int unlock(pthread_mutex_t* mutex) {
  const Doing doing("pthread_mutex_unlock");
  const int status = wakes(doing, mutex, kAll, pthread_mutex_unlock(mutex));
  if (!doing) return status;
  let_go_in_order(*doing, mutex);
  doing.offer();
  return status;
}

int spin_lock(pthread_spinlock_t* lock, bool waits) {
  const Doing doing("pthread_spin_lock");
  if (!doing) return kNotOurs;
  const auto try_spin = [&] { return pthread_spin_trylock(lock); };
  if (!waits) doing.offer();
  const int status =
      waits ? doing.take(const_cast<const int*>(lock), nullptr, try_spin) : try_spin();
  if (status == 0) HostRaces::acquired(const_cast<const int*>(lock));
  return status;
}

int spin_unlock(pthread_spinlock_t* lock) {
  const Doing doing("pthread_spin_unlock");
  if (doing) HostRaces::releases(const_cast<const int*>(lock));
  const int status = wakes(doing, const_cast<const int*>(lock), kAll, pthread_spin_unlock(lock));
  if (doing) doing.offer();
  return status;
}

// ---- reader-writer locks ----------------------------------------------------------------------

int try_once(pthread_rwlock_t* lock, RwAccess access) {
  return access == RwAccess::read ? pthread_rwlock_tryrdlock(lock) : pthread_rwlock_trywrlock(lock);
}

int try_rw(pthread_rwlock_t* lock, RwAccess access) {
  const int status = try_once(lock, access);
  if (status != EBUSY) return status;
  return access == RwAccess::read ? pthread_rwlock_timedrdlock(lock, &kNow)
                                  : pthread_rwlock_timedwrlock(lock, &kNow);
}

/// Readers are ordered after writers, and writers after all, but readers not after each other. The
/// address after the lock's stands for its readers.
const void* readers_of(const void* lock) { return static_cast<const char*>(lock) + 1; }

std::unordered_set<const void*>& written_locks() {
  static auto& all = *new std::unordered_set<const void*>;  // Guarded by the baton.
  return all;
}

void hold_rw(BatonThread& me, const void* lock, RwAccess access, int status) {
  hold(me, lock, status);
  if (status != 0 || access == RwAccess::read) return;
  HostRaces::acquired(readers_of(lock));
  written_locks().insert(lock);
}

void let_go_rw(BatonThread& me, const void* lock) {
  const bool was_written = written_locks().erase(lock) != 0;
  HostRaces::releases(was_written ? lock : readers_of(lock));
  let_go(me, lock);
}

int rw_lock(pthread_rwlock_t* lock, RwAccess access, const Moment* limit) {
  const bool reads = access == RwAccess::read;
  const Doing doing(reads ? Label("pthread_rwlock_rdlock") : Label("pthread_rwlock_wrlock"));
  if (!doing) return kNotOurs;
  const int status = doing.take(lock, limit, [&] { return try_rw(lock, access); });
  hold_rw(*doing, lock, access, status);
  return status;
}

int rw_try_lock(pthread_rwlock_t* lock, RwAccess access) {
  const Doing doing("pthread_rwlock_trylock");
  if (!doing) return kNotOurs;
  doing.offer();
  const int status = try_once(lock, access);
  hold_rw(*doing, lock, access, status);
  return status;
}

int rw_unlock(pthread_rwlock_t* lock) {
  const Doing doing("pthread_rwlock_unlock");
  const int status = wakes(doing, lock, kAll, pthread_rwlock_unlock(lock));
  if (!doing) return status;
  let_go_rw(*doing, lock);
  doing.offer();
  return status;
}

// ---- conditions -------------------------------------------------------------------------------

/// Locks the mutex again if the thread is cancelled while it waits.
class Relock {
 public:
  explicit Relock(pthread_mutex_t* mutex) : mutex_(mutex) {}
  ~Relock() {
    if (mutex_ != nullptr) pthread_mutex_lock(mutex_);
  }
  Relock(const Relock&) = delete;
  Relock& operator=(const Relock&) = delete;
  void is_not_needed() { mutex_ = nullptr; }

 private:
  pthread_mutex_t* mutex_;
};

/// Offers a turn first, because a program that changes its condition without the mutex may do so
/// between the check and the wait. Announces the wait before it releases the mutex, because a
/// thread without turns may signal right after that.
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const Moment* end) {
  const Doing doing("pthread_cond_wait");
  if (!doing) return kNotOurs;
  doing.offer();
  const Baton::Limit limit = HeldClock::rest_until(end);
  Doing::baton().will_park(*doing, condition, kAll, false);
  let_go_in_order(*doing, mutex);
  const int unlocked = wakes(doing, mutex, kAll, pthread_mutex_unlock(mutex));
  Relock relock(mutex);
  doing.allow_cancel(true);
  // An error of the caller: it does not wait.
  const Woken woken = Doing::baton().park(
      *doing, unlocked == 0 ? limit : Baton::Limit(std::chrono::nanoseconds(0)));
  relock.is_not_needed();
  doing.allow_cancel(false);
  if (unlocked != 0) return unlocked;
  int status = try_mutex(mutex);
  while (Doing::is_taken(status)) {
    doing.park(mutex, std::nullopt);
    status = try_mutex(mutex);
  }
  hold(*doing, mutex, status);
  return status == 0 && woken == Woken::timed_out ? ETIMEDOUT : status;
}

/// Also signals through the system, in which threads without turns wait.
int wake(pthread_cond_t* condition, bool all) {
  const Doing doing("pthread_cond_signal");
  if (doing) doing.offer();
  const int status = all ? pthread_cond_broadcast(condition) : pthread_cond_signal(condition);
  wakes(doing, condition, all ? kAll : 1, status);
  if (doing) doing.offer();
  return status;
}

// ---- once and barriers ------------------------------------------------------------------------

/// A thread that is running a routine of pthread_once().
struct Once {
  const void* control;
  const BatonThread* thread;
};

struct Barrier {
  unsigned count = 0;
  unsigned waiting = 0;
};

/// State that the system's locks do not expose. Threads: guarded by the mutex.
struct Known {
  std::mutex mutex;
  std::vector<Once> under_way;
  std::unordered_map<const void*, Barrier> barriers;
};

Known& known() {
  static Known& all = *new Known;  // Never destroyed: threads may still run after main().
  return all;
}

/// Lists a thread as running the routine, and removes it even if the routine throws.
class UnderWay {
 public:
  UnderWay(const void* control, const BatonThread* thread) : once_{control, thread} {
    const std::lock_guard lock(known().mutex);
    known().under_way.push_back(once_);
  }
  ~UnderWay() {
    const Baton::Inside inside;
    HostRaces::releases(once_.control);
    {
      const std::lock_guard lock(known().mutex);
      std::erase_if(known().under_way, [&](const Once& once) {
        return once.control == once_.control && once.thread == once_.thread;
      });
    }
    Doing::baton().unpark(once_.control, kAll);
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  Once once_;
};

bool is_under_way(const void* control) {
  const std::lock_guard lock(known().mutex);
  return std::ranges::find(known().under_way, control, &Once::control) != known().under_way.end();
}

const BatonThread* wait_for_once(const void* control) {
  const Doing doing("pthread_once");
  if (!doing) return nullptr;
  doing.offer();
  while (is_under_way(control)) doing.park(control, std::nullopt);
  return doing.thread();
}

int once(pthread_once_t* control, void (*routine)()) {
  const BatonThread* me = wait_for_once(control);
  if (me == nullptr) return kNotOurs;
  const UnderWay under_way(control, me);
  const int status = pthread_once(control, routine);
  HostRaces::acquired(control);
  return status;
}

void barrier_begins(pthread_barrier_t* barrier, unsigned count) {
  const Baton::Inside inside;
  const std::lock_guard lock(known().mutex);
  known().barriers[barrier] = {count, 0};
}

void barrier_ends(pthread_barrier_t* barrier) {
  const Baton::Inside inside;
  const std::lock_guard lock(known().mutex);
  known().barriers.erase(barrier);
}

/// Returns whether the calling thread is the last one of the barrier. Returns nothing for a barrier
/// whose initialization was not observed.
std::optional<bool> is_last(const void* barrier) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().barriers.find(barrier);
  if (found == known().barriers.end()) return std::nullopt;
  const bool is_last = ++found->second.waiting == found->second.count;
  if (is_last) found->second.waiting = 0;
  return is_last;
}

int barrier_wait(pthread_barrier_t* barrier) {
  const Doing doing("pthread_barrier_wait");
  if (!doing) return kNotOurs;
  doing.offer();
  const std::optional<bool> last = is_last(barrier);
  if (!last) return kNotOurs;
  HostRaces::releases(barrier);
  if (!*last) {
    doing.park(barrier, std::nullopt, false);
    HostRaces::acquired(barrier);
    return 0;
  }
  HostRaces::acquired(barrier);
  wakes(doing, barrier, kAll, 0);
  doing.offer();
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

}  // namespace

void add_locks(TurnHooks& hooks) {
  hooks.lock = lock;
  hooks.try_lock = try_lock;
  hooks.unlock = unlock;
  hooks.spin_lock = spin_lock;
  hooks.spin_unlock = spin_unlock;
  hooks.rw_lock = rw_lock;
  hooks.rw_try_lock = rw_try_lock;
  hooks.rw_unlock = rw_unlock;
  hooks.wait = wait;
  hooks.wake = wake;
  hooks.once = once;
  hooks.barrier_begins = barrier_begins;
  hooks.barrier_ends = barrier_ends;
  hooks.barrier_wait = barrier_wait;
}

}  // namespace harness::entries
