// SPDX-License-Identifier: Apache-2.0
// AccessState: what the accesses of a running kernel are first compared with, one per OS thread.
// Nearly every access falls into a window and costs two comparisons; the rest asks Provenance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "harness/base.h"
#include "harness/kernel_image.h"

namespace harness::devices {

class Footprint;
class Provenance;

/// Addresses that may be touched, [low, low + bytes). Empty by default.
struct Window {
  std::uint64_t low = 0;
  std::uint64_t bytes = 0;
  bool holds(std::uint64_t address, std::uint64_t size) const {
    const std::uint64_t offset = address - low;
    if (offset >= bytes) [[likely]]  // Most are asked in vain, one after the other.
      return false;
    return size <= bytes - offset;
  }
};

/// With no launch current every window is empty, and callbacks return at once.
struct AccessState {
  std::array<Window, 6> blocks;  ///< Device memory that this block was allowed before.
  Window shared;                 ///< Thread-local storage, where __shared__ variables are.
  Window stack;                  ///< The stack of the fiber that runs.
  Window device;                 ///< All of device memory: values in here may be pointers.
  Provenance* provenance = nullptr;
  Footprint* footprint =
      nullptr;  ///< The place where uses of device memory are noted; may be null.
  /// Those of a translated kernel that know something; null if they are to know nothing.
  std::vector<KernelSite*>* sites = nullptr;
  std::uint32_t victim = 0;        ///< The one of `blocks` that the next one replaces.
  std::uint64_t shared_shift = 0;  ///< Gives shared memory its own addresses, for TSan.
  void (*abandon)() = nullptr;     ///< Leaves the kernel. Does not return.

  /// A piece of device memory has ended: what was allowed may not be any more.
  void forget();

  void remember(Window window) {
    blocks[victim] = window;
    victim = (victim + 1) % blocks.size();
  }
};

extern constinit thread_local AccessState access_state;

/// Judges a load, or a store, by the instruction before `code`: returns if the kernel may continue.
void check_load(std::uint64_t address, std::uint64_t size, std::uintptr_t code);
void check_store(std::uint64_t address, std::uint64_t size, std::uintptr_t code);

/// Judges an atomic, by the instruction before `code`, like a load and a store: returns if the
/// kernel may continue. Outside a launch it returns always.
void check_atomic(std::uint64_t address, std::uint64_t size, std::uintptr_t code);

/// Judges an atomic of 4 or 8 bytes, and carries it out. Returns what was there.
std::uint64_t apply_atomic(AtomicOp op, std::uint64_t address, std::uint64_t size,
                           std::uint64_t value, std::uintptr_t code);

}  // namespace harness::devices
