// SPDX-License-Identifier: Apache-2.0
// How it works. Each watched place is one perf event of type breakpoint, which the kernel keeps in
// a debug register while this thread runs. With sigtrap the kernel delivers the event as a
// synchronous signal, so that the handler reads the place before the next instruction can overwrite
// it. The handler only appends to memory that was reserved.
#include "harness/core/instruments/hardware_watch.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/base/base.h"

namespace harness::instruments {
namespace {

/// The si_code of siginfo for our traps. The <signal.h> of Debian 12 does not define it yet.
constexpr int kTrapOfPerf = 6;

/// Returns whether the processor did not say which watchpoint it met: some virtual machines deliver
/// the trap with an empty DR6, which Linux reports as that of a breakpoint. `code` is the next
/// instruction; after a real breakpoint, the one before it is int3.
__attribute__((no_sanitize("address"))) bool is_unnamed(const siginfo_t& info,
                                                        std::uintptr_t code) {
  constexpr std::uint8_t kInt3 = 0xCC;
  return info.si_code == TRAP_BRKPT && *reinterpret_cast<const std::uint8_t*>(code - 1) != kInt3;
}

/// The watch that the handler serves.
constinit HardwareWatch* the_watch = nullptr;

int open_breakpoint(const void* place, std::size_t width) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.size = sizeof(attributes);
  attributes.bp_type = HW_BREAKPOINT_W;
  attributes.bp_addr = reinterpret_cast<std::uintptr_t>(place);
  attributes.bp_len = width;
  attributes.sample_period = 1;
  attributes.sigtrap = 1;
  attributes.remove_on_exec = 1;  // Required by sigtrap.
  attributes.exclude_kernel = 1;  // Needs no privilege. Writes by the kernel are not of interest.
  attributes.exclude_hv = 1;
  constexpr int kThisThread = 0, kAnyCpu = -1, kNoGroup = -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, kThisThread, kAnyCpu, kNoGroup,
                                  PERF_FLAG_FD_CLOEXEC));
}

/// Returns the bytes at `place`, which may be memory that a sanitizer forbids to read.
__attribute__((no_sanitize("address", "thread", "undefined"))) std::uint64_t bytes_at(
    const void* place, std::size_t width) {
  switch (width) {
    case 1:
      return *static_cast<const volatile std::uint8_t*>(place);
    case 2:
      return *static_cast<const volatile std::uint16_t*>(place);
    case 4:
      return *static_cast<const volatile std::uint32_t*>(place);
    default:
      return *static_cast<const volatile std::uint64_t*>(place);
  }
}

std::uintptr_t program_counter(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
  return 0;
#endif
}

/// Decodes the instruction that ends at `code`. Only reads the page of its last byte.
DecodedStore store_before(std::uintptr_t code, const void* context, const void* place,
                          std::size_t width) {
#if defined(__x86_64__)
  constexpr std::size_t kPage = 4096, kLongest = 15;
  const std::size_t length = std::min(kLongest, (code - 1) % kPage + 1);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(code - length);
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
  constexpr std::array kNumbers{REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};
  GeneralRegisters registers{};
  for (std::size_t i = 0; i < kNumbers.size(); ++i)
    registers[i] = static_cast<std::uint64_t>(machine.gregs[kNumbers[i]]);
  return decode_store({bytes, length}, code, registers, reinterpret_cast<std::uintptr_t>(place),
                      width);
#else
  return {};
#endif
}

std::string in_words(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "perf_event_open is not permitted here (kernel.perf_event_paranoid, seccomp)";
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
      return "the processor, or its virtual machine, has no hardware watchpoints";
    case EINVAL:
      return "the kernel cannot deliver watchpoints as signals (before Linux 5.13)";
    case ENOSPC:
      return "all debug registers are in use, perhaps by a debugger";
    case ENOSYS:
      return "the kernel has no perf events";
    default:
      return std::string("perf_event_open: ") + std::strerror(error);
  }
}

/// Opens a watchpoint, stores, and checks whether the store was reported. Some virtual machines
/// accept the event and never deliver it.
std::string probe() {
  alignas(8) static volatile std::uint64_t word = 0;
  const int event = open_breakpoint(const_cast<const std::uint64_t*>(&word), sizeof(word));
  if (event < 0) return in_words(errno);
  close(event);
  HardwareWatch watch(1);
  watch.watch(const_cast<const std::uint64_t*>(&word), sizeof(word));
  word = 1;
  return watch.writes().size() == 1 ? "" : "watchpoints can be set here, but are never delivered";
}

}  // namespace

const std::string& HardwareWatch::why_not() {
  static const std::string reason = probe();
  return reason;
}

HardwareWatch::HardwareWatch(std::size_t write_limit) {
  HARNESS_CHECK(the_watch == nullptr, "one hardware watch at a time: its signal has one handler");
  writes_.reserve(write_limit);
  the_watch = this;
  struct sigaction action{};
  action.sa_sigaction = &trapped;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTRAP, &action, &previous_);
}

HardwareWatch::~HardwareWatch() {
  for (Register& used : registers_)
    if (used.event >= 0) close(used.event);
  sigaction(SIGTRAP, &previous_, nullptr);
  the_watch = nullptr;
}

bool HardwareWatch::watch(const void* place, std::size_t width) {
  Register* free = find(nullptr);
  if (free == nullptr) return false;
  const int event = open_breakpoint(place, width);
  if (event < 0) return false;
  *free = {place, width, event, bytes_at(place, width)};
  return true;
}

void HardwareWatch::forget(const void* place) {
  Register* used = place != nullptr ? find(place) : nullptr;
  if (used == nullptr) return;
  close(used->event);
  *used = {};
}

std::size_t HardwareWatch::watched_count() const {
  std::size_t count = 0;
  for (const Register& each : registers_) count += each.place != nullptr;
  return count;
}

HardwareWatch::Register* HardwareWatch::find(const void* place) {
  for (Register& each : registers_)
    if (each.place == place) return &each;
  return nullptr;
}

void HardwareWatch::trapped(int number, siginfo_t* info, void* context) {
  HardwareWatch& watch = *the_watch;
  const int error = errno;
  const std::uintptr_t code = program_counter(context);
  if (info->si_code == kTrapOfPerf)
    watch.keep(info->si_addr, code, context);
  else if (is_unnamed(*info, code))
    watch.keep_changed(code, context);
  else
    watch.give_back(number);
  errno = error;
}

/// Handles the trap of a debugger, or a real one, as if there were no watch.
void HardwareWatch::give_back(int number) const {
  sigaction(number, &previous_, nullptr);
  raise(number);
}

/// Keeps a write to each watched place whose bytes differ. One that stores the old value is not
/// seen.
void HardwareWatch::keep_changed(std::uintptr_t code, const void* context) {
  for (const Register& each : registers_)
    if (each.place != nullptr && bytes_at(each.place, each.width) != each.last)
      keep(each.place, code, context);
}

void HardwareWatch::keep(const void* place, std::uintptr_t code, const void* context) {
  Register* used = find(place);
  if (used == nullptr) return;  // It was forgotten while the signal was pending.
  const std::uint64_t after = bytes_at(place, used->width);
  if (writes_.size() < writes_.capacity())
    writes_.push_back(
        {place, code, used->last, after, store_before(code, context, place, used->width)});
  else
    ++lost_count_;
  used->last = after;
}

}  // namespace harness::instruments
