// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/resources.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

namespace harness::entries {
namespace {

int open_counter() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof(attributes);
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;  // Needs no privileges.
  attributes.exclude_hv = 1;
  constexpr int kThisThread = 0, kAnyCpu = -1, kNoGroup = -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, kThisThread, kAnyCpu, kNoGroup,
                                  PERF_FLAG_FD_CLOEXEC));
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != line.npos)
        return line.substr(colon + 2);
  return "unknown processor";
}

}  // namespace

InstructionCounter::InstructionCounter() : file_(open_counter()) {}

InstructionCounter::~InstructionCounter() {
  if (file_ >= 0) ::close(file_);
}

std::uint64_t InstructionCounter::count() const {
  std::uint64_t count = 0;
  const bool is_read = file_ >= 0 && ::read(file_, &count, sizeof(count)) == sizeof(count);
  return is_read ? count : 0;
}

std::uint64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// The only possible error is that there are more cores than the set has room for.
std::size_t core_count() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof(cores), &cores) != 0) return CPU_SETSIZE;
  return static_cast<std::size_t>(CPU_COUNT(&cores));
}

std::string machine_class() {
  return fmt::format("{}, {} cores, clang {}.{}.{}", processor_name(), core_count(),
                     __clang_major__, __clang_minor__, __clang_patchlevel__);
}

}  // namespace harness::entries
