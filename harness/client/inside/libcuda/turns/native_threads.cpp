// SPDX-License-Identifier: Apache-2.0
// How it works. When the first thread is started, all threads take turns from then on, except those
// that were started before the driver was loaded.
#include "harness/client/inside/libcuda/turns/native_threads.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "harness/client/inside/libcuda/races/host_races.h"
#include "harness/client/inside/libcuda/turns/doing.h"
#include "harness/client/inside/libcuda/turns/locks.h"
#include "harness/client/inside/libcuda/turns/waits.h"
#include "harness/driver/cuda/process.h"
#include "harness/driver/cuda/program_call.h"

namespace harness::entries {
namespace {

NativeThreads* natives = nullptr;
Baton* baton = nullptr;
std::atomic<bool> is_on{false};
/// Stand for the driver in the order of threads: calls of it, and what it returns to them.
constexpr char kCalls{};
constexpr char kReturns{};

void leave_at_key(void* hooked);

/// The key that holds the calling thread, and has a destructor.
pthread_key_t at_end() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, leave_at_key);
    return made;
  }();
  return key;
}

void leave_at_key(void* hooked) {
  // Destructors of other keys and of thread_local variables belong to the program, so this one runs
  // last.
  constexpr int kRounds = 3;
  static thread_local int round = 0;
  if (++round < kRounds && pthread_setspecific(at_end(), hooked) == 0) return;
  const Baton::Inside inside;
  baton->leave(*static_cast<BatonThread*>(hooked));
}

/// Finds the code of this library in memory.
int find_code(dl_phdr_info* info, std::size_t, void* told) {
  auto& hooks = *static_cast<TurnHooks*>(told);
  const auto ours = reinterpret_cast<std::uintptr_t>(&find_code);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || ours < begin || ours >= begin + part.p_memsz) continue;
    hooks.code_begin = begin;
    hooks.code_end = begin + part.p_memsz;
    hooks.calls_begin = program_calls().begin;
    hooks.calls_end = program_calls().end;
    return 1;
  }
  return 0;
}

TurnHooks all_hooks() {
  TurnHooks hooks{};
  hooks.are_on = &is_on;
  dl_iterate_phdr(find_code, &hooks);
  add_locks(hooks);
  add_waits(hooks);
  return hooks;
}

}  // namespace

void NativeThreads::listen() {
  void* take = dlsym(RTLD_DEFAULT, kTakeTurnHooks);
  if (take == nullptr) return;
  static const TurnHooks kHooks = all_hooks();
  reinterpret_cast<TakeTurnHooks>(take)(&kHooks);
  HostRaces::listen();
}

NativeThreads::NativeThreads(PythonThreads::Guide& guide, Baton& its_baton)
    : guide_(guide), baton_(its_baton) {
  natives = this;
  baton = &its_baton;
  Doing::use(its_baton);
}

bool NativeThreads::are_on() const { return is_on.load(std::memory_order_relaxed); }

// ---- start and end of threads -----------------------------------------------------------------

BatonThread* NativeThreads::start_another() {
  if (Baton::Inside::is_any() || ProcessWorld::has_driver() || ProcessWorld::is_own_thread())
    return nullptr;
  const Baton::Inside inside;
  static const bool has_python = dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr;
  if (has_python) return nullptr;
  ProcessWorld::get();  // Creates a guide, if orders exist.
  if (natives == nullptr) return nullptr;
  if (Baton::mine() == nullptr) {
    if (!baton->threads().empty()) return nullptr;
    natives->begin();
  }
  BatonThread& me = *Baton::mine();
  const Name name = derive_name(me.name, hash_name("native thread"), ++me.child_count);
  BatonThread& started = baton->add(name, fmt::format("thread {}", baton->threads().size() + 1));
  started.is_native = true;
  HostRaces::started(started);
  return &started;
}

void NativeThreads::begin() {
  BatonThread& first = baton_.begin(guide_.name_first_thread(), "thread 1", true);
  first.is_native = true;
  leave_at_end(first);
  HeldClock::hold(baton_);
  std::atexit([] {
    const Doing doing("exit");
    if (doing) doing.offer();
  });
  is_on = true;
}

void NativeThreads::is_started(BatonThread& thread, pthread_t handle) {
  thread.handle = handle;
  const Doing doing("pthread_create");
  if (doing) doing.offer();
}

void NativeThreads::leave_at_end(BatonThread& me) { pthread_setspecific(at_end(), &me); }

// ---- turns ------------------------------------------------------------------------------------

void NativeThreads::tell_schedule() const {
  const char* name = std::getenv("AFTERLIFE_SCHEDULES");
  if (name == nullptr || !are_on()) return;
  const Baton::Schedule schedule = baton_.schedule();
  const std::string line = fmt::format("{} {:016x}\n", schedule.switch_count, schedule.hash);
  const int file = ::open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  (void)!::write(file, line.data(), line.size());
  ::close(file);
}

void NativeThreads::returns() { HostRaces::acquired(&kReturns); }

void NativeThreads::call() {
  BatonThread* me = Baton::mine();
  if (me == nullptr || !are_on() || Baton::Inside::is_any()) return;
  const Baton::Inside inside;
  HostRaces::releases(&kCalls);
  if (BatonThread* other = baton_.next(*me, Baton::At::call, true); other != nullptr)
    baton_.hand_to(*me, *other);
}

void* NativeThreads::add_own(const std::function<bool()>& is_due) {
  const Baton::Inside inside;
  static std::atomic<std::uint32_t> count{0};
  const Name name = derive_name(hash_name("the driver's own"), hash_name("thread"), ++count);
  return &baton_.add(name, "the driver's thread", &is_due);
}

/// The driver's thread calls functions of the program between two waits. They come after the calls
/// that queued them, and before the return of later calls.
void NativeThreads::await_due(void* own) {
  const Baton::Inside inside;
  HostRaces::releases(&kReturns);
  baton_.await_due(*static_cast<BatonThread*>(own));
  HostRaces::acquired(&kCalls);
}

void NativeThreads::let_due_go() {
  BatonThread* me = Baton::mine();
  if (me == nullptr) return;
  const Baton::Inside inside;
  baton_.let_due_go(*me);
}

bool NativeThreads::give_way() {
  BatonThread* me = Baton::mine();
  if (me == nullptr) return false;
  const Baton::Inside inside;
  return baton_.yield(*me);
}

}  // namespace harness::entries
