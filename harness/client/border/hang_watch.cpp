// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/hang_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

namespace harness::client {
namespace {

/// Returns whether the process handles the signal, which would otherwise end it.
bool handles(pid_t process, int signal) {
  std::ifstream status(fmt::format("/proc/{}/status", process));
  constexpr std::string_view kCaught = "SigCgt:\t";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(kCaught))
      return (std::strtoull(line.c_str() + kCaught.size(), nullptr, 16) >> (signal - 1) & 1) != 0;
  return false;
}

/// Requests a report from the main thread. Returns whether the request was sent.
bool ask(pid_t process, int because) {
  return handles(process, asking_signal()) && ask_thread(process, process, because);
}

}  // namespace

int asking_signal() { return SIGRTMAX - 5; }

bool ask_thread(pid_t process, pid_t thread, int because) {
  siginfo_t info{};
  info.si_signo = asking_signal();
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = because;
  return ::syscall(SYS_rt_tgsigqueueinfo, process, thread, info.si_signo, &info) == 0;
}

void HangWatch::passes(pid_t process, double seconds) {
  constexpr double kBetweenLooks = 0.1;
  if (seconds < next_look_ || asked_at_) return;
  next_look_ = seconds + kBetweenLooks;
  if (!threads_) threads_.emplace(process, kIdleThread);
  const Standstill stands = threads_->look();
  if (stands == Standstill::none) return;
  const bool all = stands == Standstill::certain;
  const bool main = all || standstill_of(process, process) == Standstill::certain;
  ask(process, (all ? kAllStand : kMayStand) | (main ? kMainStands : 0));
}

/// Delays the end by up to two seconds: a process that reports ends without being killed.
bool HangWatch::delays_end(pid_t process) {
  constexpr std::chrono::seconds kAnswers{2};
  if (!asked_at_) {
    if (!ask(process, kTakesTooLong)) return false;
    asked_at_ = Clock::now();
  }
  return Clock::now() - *asked_at_ < kAnswers;
}

}  // namespace harness::client
