// SPDX-License-Identifier: Apache-2.0
// AccessState: the state against which accesses of a running kernel are first checked, one per OS
// thread. Nearly every access falls into a window and costs two comparisons; the rest calls
// Provenance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/base/base.h"
#include "harness/device_code/kernel_image.h"

namespace harness::devices {

class Footprint;
class Provenance;

/// Addresses that may be accessed, [low, low + bytes). Empty by default.
struct Window {
  std::uint64_t low = 0;
  std::uint64_t bytes = 0;
  bool holds(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t offset = address - low;
    if (offset >= bytes) [[likely]]  // Most windows do not match, because they are checked in turn.
      return false;
    return size <= bytes - offset;
  }
};

/// If no launch is current, every window is empty, and callbacks return at once.
struct AccessState {
  std::array<Window, 6> blocks;  ///< Device memory that this block has accessed legally before.
  Window shared;                 ///< Thread-local storage, where __shared__ variables are.
  Window stack;                  ///< The stack of the running fiber.
  Window device;                 ///< All of device memory. Values in this range may be pointers.
  Provenance* provenance = nullptr;
  Footprint* footprint =
      nullptr;  ///< The place where uses of device memory are noted; may be null.
  /// Sites of a translated kernel with known addresses; null if sites must not be used.
  std::vector<KernelSite*>* sites = nullptr;
  std::uint32_t victim = 0;        ///< Index in `blocks` of the next one to be replaced.
  std::uint64_t shared_shift = 0;  ///< Gives shared memory separate addresses for TSan.
  void (*abandon)() = nullptr;     ///< Leaves the kernel. Does not return.

  /// Clears all windows, because device memory has ended and earlier checks are not valid any more.
  void forget();

  void remember(Window window) {
    blocks[victim] = window;
    victim = (victim + 1) % blocks.size();
  }
};

extern constinit thread_local AccessState access_state;

/// Checks a load or store by the instruction before `code`. Returns if the kernel may continue.
void check_load(std::uint64_t address, std::uint64_t size, std::uintptr_t code);
void check_store(std::uint64_t address, std::uint64_t size, std::uintptr_t code);

/// Checks an atomic, by the instruction before `code`, as a load and a store. Returns if the kernel
/// may continue. Always returns outside of a launch.
void check_atomic(std::uint64_t address, std::uint64_t size, std::uintptr_t code);

/// Checks and executes an atomic of 4 or 8 bytes. Returns the old value.
std::uint64_t apply_atomic(AtomicOp op, std::uint64_t address, std::uint64_t size,
                           std::uint64_t value, std::uintptr_t code);

}  // namespace harness::devices
