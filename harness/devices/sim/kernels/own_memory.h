// SPDX-License-Identifier: Apache-2.0
// Own memory: memory that a kernel may access in addition to device memory: its __shared__
// variables, which are thread-local here, and constants in the program's image.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/devices/sim/kernels/access.h"

namespace harness::devices {

/// Returns the addresses at which this program, or this shared library, was loaded.
Window own_image();

/// Returns the thread-local storage of this OS thread in that image.
Window own_thread_storage();

/// Returns dynamic shared memory, of kDynamicSharedLimit bytes; within own_thread_storage().
std::byte* dynamic_shared_memory();

/// Memory that the threads of a cooperative grid find through %envreg1 and %envreg2: its size, and
/// the word in which they count arrivals at barriers. It is 0 when the launch begins.
struct GridMemory {
  std::uint32_t bytes = sizeof(GridMemory);
  std::uint32_t barrier = 0;
  bool operator==(const GridMemory&) const = default;
};

/// Returns the memory of the running block's grid; within own_thread_storage().
GridMemory& grid_memory();

/// Addresses that represent a block's shared memory for TSan. Each belongs to only one block, so
/// that accesses of another block to the same memory are not a race. Nothing is stored there.
class FreshAddresses {
 public:
  ~FreshAddresses();
  FreshAddresses() = default;
  FreshAddresses(const FreshAddresses&) = delete;
  FreshAddresses& operator=(const FreshAddresses&) = delete;

  /// Returns an address of `bytes` bytes that no block has had before.
  std::uint64_t next(std::uint64_t bytes);

 private:
  void renew();

  std::uint64_t base_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace harness::devices
