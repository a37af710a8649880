// SPDX-License-Identifier: Apache-2.0
// Own memory: what a kernel may touch besides device memory: its __shared__ variables, which are
// thread-local here, and constants in the program's image.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/devices/sim/kernels/access.h"

namespace harness::devices {

/// The addresses that this program, or this shared library, was loaded at.
Window own_image();

/// This OS thread's thread-local storage in it.
Window own_thread_storage();

/// Dynamic shared memory, of kDynamicSharedLimit bytes; within own_thread_storage().
std::byte* dynamic_shared_memory();

/// Memory that the threads of a cooperative grid find by %envreg1 and %envreg2: its size, and the
/// word that they count themselves in at barriers, which is 0 when the launch begins.
struct GridMemory {
  std::uint32_t bytes = sizeof(GridMemory);
  std::uint32_t barrier = 0;
  bool operator==(const GridMemory&) const = default;
};

/// The memory of the grid whose block runs; within own_thread_storage().
GridMemory& grid_memory();

/// Addresses that stand for a block's shared memory in TSan's eyes, each for one block only, so
/// that what another block did in the same place is not a race. Nothing is ever stored there.
class FreshAddresses {
 public:
  ~FreshAddresses();
  FreshAddresses() = default;
  FreshAddresses(const FreshAddresses&) = delete;
  FreshAddresses& operator=(const FreshAddresses&) = delete;

  /// `bytes` that no block had before.
  std::uint64_t next(std::uint64_t bytes);

 private:
  void renew();

  std::uint64_t base_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace harness::devices
