// SPDX-License-Identifier: Apache-2.0
// KernelHeap: the heap for malloc() in kernels, one for each context.
//
// A piece is alive until a kernel frees it (the same or a later one), or until its context ends.
// Each piece is a separate lifetime, whose storage is not reused while there is other storage, so
// that a use after free is reported at the kernel's line.
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

  /// Begins a block of `launch`, which must be that of a kernel.
  void enter(const Work& launch) { launch_ = &launch; }

  /// Returns the address of this many bytes, or 0 if the heap is full.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Frees the piece at `address`; 0 has no effect. Records a fault and does not return if there is
  /// no such piece. `code` is an address in the kernel after its call.
  void free(std::uint64_t address, std::uintptr_t code);

 private:
  SimDevice& sim_;
  const Work* launch_ = nullptr;
};

}  // namespace harness::devices
