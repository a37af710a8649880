// SPDX-License-Identifier: Apache-2.0
#include "harness/command/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "harness/command/exit_code.h"

namespace harness::entries {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

extern "C" void note_interrupt(int) { interrupted.store(true, std::memory_order_relaxed); }

// Calls only async-signal-safe functions: no stream, no destructor.
extern "C" void end_stopped(int) {
  constexpr std::string_view kLine = "afterlife: stopped\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kLine.data(), kLine.size());
  _exit(kStopped);
}

void handle_interrupts(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction present{};
  if (sigaction(SIGHUP, nullptr, &present) == 0 && present.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action, nullptr);
}

}  // namespace

void end_on_interrupts() { handle_interrupts(end_stopped); }

const std::atomic<bool>& take_interrupts() {
  handle_interrupts(note_interrupt);
  return interrupted;
}

}  // namespace harness::entries
