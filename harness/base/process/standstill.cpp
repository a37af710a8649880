// SPDX-License-Identifier: Apache-2.0
#include "harness/base/process/standstill.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace harness {
namespace {

namespace fs = std::filesystem;

struct SystemCall {
  long number = -1;  ///< -1 if the thread is running.
  std::array<unsigned long, 4> arguments{};
};

std::string file_of(pid_t process, pid_t thread, const char* name) {
  return fmt::format("/proc/{}/task/{}/{}", process, thread, name);
}

SystemCall present_call(pid_t process, pid_t thread) {
  SystemCall call;
  std::string text;
  std::getline(std::ifstream(file_of(process, thread, "syscall")), text);
  auto& [a, b, c, d] = call.arguments;
  if (std::sscanf(text.c_str(), "%ld %lx %lx %lx %lx", &call.number, &a, &b, &c, &d) != 5)
    call.number = -1;
  return call;
}

/// Returns whether a thread waits for another one to end (join). It waits for the word that the
/// kernel clears at the end of the thread, which is not a private futex, and contains the thread's
/// id.
bool is_join(pid_t process, unsigned long address) {
  std::int32_t word = 0;
  iovec ours{&word, sizeof word};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is the other process's.
  iovec theirs{reinterpret_cast<void*>(address), sizeof word};
  if (::process_vm_readv(process, &ours, 1, &theirs, 1, 0) != sizeof word) return false;
  return word > 0 && fs::exists(fmt::format("/proc/{}/task/{}", process, word));
}

std::string sleeps_of(pid_t process, pid_t thread) {
  std::ifstream status(file_of(process, thread, "status"));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("voluntary_ctxt_switches")) return line;
  return {};
}

}  // namespace

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  std::error_code ignored;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", process), ignored))
    threads.push_back(std::stoi(task.path().filename().string()));
  std::ranges::sort(threads);
  return threads;
}

Standstill standstill_of(pid_t process, pid_t thread) {
  constexpr std::array kWaits{FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_LOCK_PI2};
  const auto [number, arguments] = present_call(process, thread);
  const auto [address, operation, value, limit] = arguments;
  const int what = static_cast<int>(operation) & FUTEX_CMD_MASK;
  if (number != SYS_futex || std::ranges::find(kWaits, what) == kWaits.end())
    return Standstill::none;
  if ((operation & FUTEX_PRIVATE_FLAG) == 0 && !is_join(process, address)) return Standstill::none;
  return limit == 0 ? Standstill::certain : Standstill::possible;
}

bool has_name(pid_t process, pid_t thread, const std::string& name) {
  std::string present;
  std::getline(std::ifstream(file_of(process, thread, "comm")), present);
  return present == name;
}

Standstill StandstillWatch::look() {
  Standstill all = Standstill::certain;
  std::string now;
  for (const pid_t thread : threads_of(process_)) {
    if (has_name(process_, thread, but_)) continue;
    now += fmt::format("{} {}\n", thread, sleeps_of(process_, thread));
    all = std::min(all, standstill_of(process_, thread));
    if (all == Standstill::none) break;
  }
  if (all == Standstill::none) now.clear();
  const bool is_as_before = now == before_;
  const bool were_waiting = !before_.empty();
  before_ = now;
  if (!were_waiting || now.empty()) return Standstill::none;
  return is_as_before ? all : Standstill::possible;
}

}  // namespace harness
