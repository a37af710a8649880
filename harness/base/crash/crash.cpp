// SPDX-License-Identifier: Apache-2.0
// How it works. The handler runs on a separate stack, so that it also works after a stack overflow,
// and leaves by the innermost exit: it never returns into the code that crashed. No signal is
// blocked while it runs, so that the code that it switches to need not unblock any.
#include "harness/base/crash/crash.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <exception>

#include "harness/base/crash/allocator.h"
#include "harness/base/memory.h"
#include "harness/base/sanitizers/sanitizers.h"

namespace harness {
namespace {

struct Caught {
  int number;
  Label name;
};
constexpr std::array<Caught, 5> kCaught{{{SIGSEGV, "SIGSEGV"},
                                         {SIGBUS, "SIGBUS"},
                                         {SIGFPE, "SIGFPE"},
                                         {SIGILL, "SIGILL"},
                                         {SIGABRT, "SIGABRT"}}};
constexpr Label kOverflow = "stack overflow";

constinit std::array<struct sigaction, kCaught.size()> previous_actions{};
constinit std::terminate_handler previous_terminate = nullptr;

std::size_t index_of(int number) {
  std::size_t index = 0;
  while (kCaught[index].number != number) ++index;
  return index;
}

// ---- the machine context ------------------------------------------------------------------------

std::uintptr_t program_counter(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
  return 0;
#endif
}

std::uintptr_t stack_pointer(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.sp;
#else
  return 0;
#endif
}

bool came_from_outside(const siginfo_t& info) {
  return info.si_code <= 0 && info.si_pid != getpid();
}

/// Returns whether the access is near the end of the stack. Large frames probe each of their pages.
bool is_overflow(const siginfo_t& info, const ucontext_t& context) {
  if (info.si_signo != SIGSEGV || info.si_code <= 0) return false;
  constexpr std::uintptr_t kBelow = 512, kAbove = 0x10000;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  return address + kBelow - stack_pointer(context) < kBelow + kAbove;
}

Crash describe(const siginfo_t& info, const ucontext_t& context) {
  Crash crash;
  crash.signal = is_overflow(info, context) ? kOverflow : kCaught[index_of(info.si_signo)].name;
  // One byte past its beginning, because lines are looked up as for a return address.
  if (info.si_code > 0) crash.code = program_counter(context) + 1;
  return crash;
}

// ---- the allocator ------------------------------------------------------------------------------

/// Returns whether the signal comes from the C library's allocator, which found its heap corrupted.
/// A stack overflow may also end there. That corrupts nothing, unless other threads wait for the
/// allocator's lock.
bool broke_the_heap(const Crash& crash) {
  if (kAsan || kTsan) return false;  // They have their own allocators, which report such errors.
  if (crash.signal == kOverflow && __libc_single_threaded) return false;
  return in_allocator();
}

void say_that_the_heap_is_broken(const Crash& crash) {
  const auto say = [](const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); };
  say("afterlife: ");
  say(crash.signal.c_str());
  say(" in the C library's allocator: the code under test broke the heap, and this process with "
      "it\n");
}

// ---- the handler --------------------------------------------------------------------------------

/// Handles the signal as if the harness were not there.
void pass_on(int number, siginfo_t* info, void* context) {
  const struct sigaction& previous = previous_actions[index_of(number)];
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(number, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN)
    return previous.sa_handler(number);
  signal(number, SIG_DFL);
  if (info->si_code <= 0) raise(number);  // Otherwise the instruction is executed again.
}

void caught(int number, siginfo_t* info, void* context) {
  const CrashExit* exit = CrashExit::innermost();
  if (exit == nullptr || check_has_failed || came_from_outside(*info))
    return pass_on(number, info, context);
  const Crash crash = describe(*info, *static_cast<const ucontext_t*>(context));
  if (broke_the_heap(crash)) {
    say_that_the_heap_is_broken(crash);
    return pass_on(number, info, context);
  }
  exit->take(crash);
}

/// Returns the uncaught exception in words.
const char* exception_in_words() {
  static thread_local char words[160];
  const char* what = "without an exception";
  try {
    if (const std::exception_ptr exception = std::current_exception())
      std::rethrow_exception(exception);
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "not a std::exception";
  }
  std::snprintf(words, sizeof(words), "std::terminate: %s", what);
  return words;
}

[[noreturn]] void terminated() {
  if (CrashExit::innermost() == nullptr || check_has_failed) previous_terminate();
  crash_here({"SIGABRT", exception_in_words()});
}

bool take_signals() {
  struct sigaction action{};
  action.sa_sigaction = &caught;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kCaught.size(); ++i)
    sigaction(kCaught[i].number, &action, &previous_actions[i]);
  previous_terminate = std::set_terminate(terminated);
  return true;
}

/// Memory for the handler's stack, unless the thread has some, as under the sanitizers.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t present{};
    sigaltstack(nullptr, &present);
    if ((present.ss_flags & SS_DISABLE) == 0) return;
    memory_ = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) out_of_memory();
    stack_t mine{};
    mine.ss_sp = memory_;
    mine.ss_size = kBytes;
    sigaltstack(&mine, nullptr);
  }
  ~HandlerStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory_, kBytes);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 128 << 10;
  void* memory_ = nullptr;
};

}  // namespace

void catch_crashes() {
  static const bool taken = take_signals();
  static thread_local const HandlerStack stack;
  (void)taken;
}

void CrashExit::take(const Crash& crash) const {
  leave_(context_, crash);
  HARNESS_CHECK(false, "an exit leaves for good");
  __builtin_unreachable();
}

void crash_here(const Crash& crash) {
  const CrashExit* exit = CrashExit::innermost();
  HARNESS_CHECK(exit != nullptr, crash.words);
  exit->take(crash);
}

void follow_null() { crash_here({"SIGSEGV", "a null pointer was followed"}); }

}  // namespace harness
