// SPDX-License-Identifier: Apache-2.0
// KernelHeap: what kernels get from their malloc(), one heap for each context.
//
// A piece lives until a kernel frees it, this one or a later one, or its context ends. Each is its
// own life, whose storage nothing else is given as long as there is other: a use after the free is
// told at the kernel's line.
//
// Source: CUDA C++ programming guide, Dynamic global memory allocation and operations.
#pragma once

#include <cstdint>

#include "harness/devices/sim/memory/memory.h"

namespace harness::devices {

class SimDevice;
struct Work;

/// Ownership: borrows the device. Threads: confined to the run's thread.
class KernelHeap {
 public:
  explicit KernelHeap(SimDevice& sim) : sim_(sim) {}

  /// A block of `launch`, which is a kernel's, runs from now on.
  void enter(const Work& launch) { launch_ = &launch; }

  /// Returns the address of memory of this many bytes, or 0 if the heap has no room for them.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Ends what begins at `address`; 0 is nothing. Records a fault, and does not return, where
  /// nothing of the heap's does. `code` is the kernel's, behind its call.
  void free(std::uint64_t address, std::uintptr_t code);

 private:
  SimDevice& sim_;
  const Work* launch_ = nullptr;
};

}  // namespace harness::devices
