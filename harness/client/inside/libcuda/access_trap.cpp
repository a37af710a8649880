// SPDX-License-Identifier: Apache-2.0
// How it works. An access to a protected page raises SIGSEGV. The handler opens the page and sets
// the trap flag. The instruction then executes alone, and raises SIGTRAP after it.
#include "harness/client/inside/libcuda/access_trap.h"

#include <signal.h>
#include <ucontext.h>

#include <array>

namespace harness::entries {
namespace {

AccessTrap::Listener* listening = nullptr;

/// A signal that we handle, and the handler that was installed before.
struct Handled {
  int signal;
  struct sigaction theirs{};
};
std::array<Handled, 2> handled{Handled{SIGSEGV}, Handled{SIGTRAP}};

#if defined(__x86_64__)
constexpr bool kStepsAlone = true;
constexpr greg_t kTrapFlag = 0x100;
constexpr greg_t kWriteBit = 2;  ///< In the page fault's error code.

void step_alone(ucontext_t& context, bool on) {
  greg_t& flags = context.uc_mcontext.gregs[REG_EFL];
  flags = on ? flags | kTrapFlag : flags & ~kTrapFlag;
}
bool steps_alone(const ucontext_t& context) {
  return (context.uc_mcontext.gregs[REG_EFL] & kTrapFlag) != 0;
}
bool writes(const ucontext_t& context) {
  return (context.uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0;
}
std::uintptr_t code_of(const ucontext_t& context) {
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
}
#else
constexpr bool kStepsAlone = false;
void step_alone(ucontext_t&, bool) {}
bool steps_alone(const ucontext_t&) { return false; }
bool writes(const ucontext_t&) { return false; }
std::uintptr_t code_of(const ucontext_t&) { return 0; }
#endif

/// This thread executes one instruction with the trap flag set.
thread_local bool is_stepping = false;

/// Restores the previous handler. The instruction is repeated, and raises the signal again.
void hand_back(const Handled& one) { sigaction(one.signal, &one.theirs, nullptr); }

void on_access(int, siginfo_t* info, void* where) {
  auto& context = *static_cast<ucontext_t*>(where);
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool is_protection = info->si_code == SEGV_ACCERR;
  if (!is_protection || !listening->met(address, writes(context), code_of(context)))
    return hand_back(handled[0]);
  if (!kStepsAlone) return;
  is_stepping = true;
  step_alone(context, true);
}

void on_step(int, siginfo_t*, void* where) {
  auto& context = *static_cast<ucontext_t*>(where);
  if (!is_stepping || !steps_alone(context)) return hand_back(handled[1]);
  is_stepping = false;
  step_alone(context, false);
  listening->over();
}

void take_over(Handled& one, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction present{};
  sigaction(one.signal, nullptr, &present);
  if ((present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == handler) return;
  one.theirs = present;
  struct sigaction ours{};
  ours.sa_sigaction = handler;
  // The listener needs more stack than programs reserve for signal handlers.
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(one.signal, &ours, nullptr);
}

}  // namespace

bool AccessTrap::sees_end() { return kStepsAlone; }

void AccessTrap::listen(Listener& listener) {
  listening = &listener;
  take_over(handled[0], on_access);
  take_over(handled[1], on_step);
}

}  // namespace harness::entries
