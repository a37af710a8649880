// SPDX-License-Identifier: Apache-2.0
// How it works. The main thread sends a signal to each thread, which determines its place in the
// signal handler. So no stack is walked while its thread runs.
#include "harness/client/inside/libcuda/guide/hang.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "harness/base/process/standstill.h"
#include "harness/client/border/hang_watch.h"
#include "harness/client/inside/libcuda/native_place.h"
#include "harness/client/inside/libcuda/python/python.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {
namespace {

PythonThreads* turns = nullptr;
const IdleDevice* device = nullptr;
Hang::Told hear;
std::atomic<bool> is_late{false};  ///< Requested while the main thread was in the driver.
client::Place told_place;          ///< The place of the thread that answered last.
std::atomic<pid_t> told_by{0};     ///< The id of that thread.

client::Place calling_place() {
  client::Place place = Python::calling_place();
  return place.empty() ? native_place() : place;
}

std::vector<pid_t> other_threads() {
  std::vector<pid_t> threads = threads_of(::getpid());
  std::erase_if(threads, [](pid_t id) {
    return id == ::gettid() || has_name(::getpid(), id, client::kIdleThread);
  });
  return threads;
}

/// Returns the place of a thread; empty if it does not answer in time.
client::Place place_of(pid_t thread) {
  constexpr int kLooks = 300;
  constexpr useconds_t kBetween = 1'000;
  told_by = 0;
  client::ask_thread(::getpid(), thread, client::kSaysItsPlace);
  for (int i = 0; i < kLooks && told_by != thread; ++i) ::usleep(kBetween);
  return told_by == thread ? std::exchange(told_place, {}) : client::Place();
}

/// Returns whether the end of a child or a timer may end the wait of a thread.
bool may_hear_from_outside() {
  siginfo_t info{};
  itimerval timer{};
  const bool has_child =
      ::waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
  ::getitimer(ITIMER_REAL, &timer);
  const bool has_timer = timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0;
  return has_child || has_timer;
}

/// Returns whether each thread waits for another one, according to the kernel or the baton.
bool is_deadlock(int because) {
  if (may_hear_from_outside() || !device->is_stuck()) return false;
  if ((because & client::kAllStand) != 0) return true;
  const auto stands = [](pid_t thread, bool is_certain) {
    return is_certain || turns->is_stuck(thread);
  };
  const bool main_stands = (because & client::kMainStands) != 0 || ProcessWorld::is_waiting();
  if (!stands(::gettid(), main_stands)) return false;
  for (const pid_t thread : other_threads())
    if (!stands(thread, standstill_of(::getpid(), thread) == Standstill::certain)) return false;
  return true;
}

client::Party party_of(pid_t thread, client::Place place) {
  std::string name = turns->name_of(thread);
  if (name.empty())
    name = thread == ::getpid()                                ? "the main thread"
           : has_name(::getpid(), thread, kHostFunctionThread) ? "the driver's thread"
                                                               : "another thread";
  if (const std::string others = turns->baton().words_of_holds(thread); !others.empty())
    name += fmt::format(" (it holds what {} waits for)", others);
  const bool waits =
      thread != ::gettid() &&
      (turns->is_stuck(thread) || standstill_of(::getpid(), thread) != Standstill::none);
  return {.site = waits ? client::kWait : client::kStep,
          .place = std::move(place),
          .thread = std::move(name)};
}

/// Returns all threads that are in the user's code, and the main thread. Threads of libraries alone
/// wait for work, and are left out.
std::vector<client::Party> stuck_threads(bool all_wait) {
  std::vector<client::Party> stuck{party_of(::gettid(), calling_place())};
  if (all_wait) stuck.front().site = client::kWait;
  for (const pid_t thread : other_threads()) {
    client::Party party = party_of(thread, place_of(thread));
    const client::Frame* frame = client::users_frame(party.place);
    if (frame != nullptr && !frame->is_library) stuck.push_back(std::move(party));
  }
  return stuck;
}

[[noreturn]] void tell(bool all_wait) {
  constexpr int kHung = 86;
  hear(all_wait, stuck_threads(all_wait));
  ::_exit(kHung);
}

void on_question(int, siginfo_t* info, void*) {
  const Baton::Inside inside;
  const int before = errno;
  const int because = info->si_value.sival_int;
  if (because == client::kSaysItsPlace) {
    told_place = calling_place();
    told_by = ::gettid();
  } else if (ProcessWorld::has_driver() && !ProcessWorld::is_waiting()) {
    is_late = (because & client::kTakesTooLong) != 0;
  } else if ((because & client::kTakesTooLong) != 0 || is_deadlock(because)) {
    tell((because & client::kTakesTooLong) == 0);
  }
  Baton::ignore_interruption();
  errno = before;
}

}  // namespace

void Hang::listen(PythonThreads& threads, const IdleDevice& idle, Told told) {
  turns = &threads;
  device = &idle;
  hear = std::move(told);
  struct sigaction action{};
  action.sa_sigaction = on_question;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(client::asking_signal(), &action, nullptr);
}

void Hang::answer_late() {
  if (is_late.exchange(false)) tell(false);
}

}  // namespace harness::entries
