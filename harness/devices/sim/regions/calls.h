// SPDX-License-Identifier: Apache-2.0
// Calls of suballocators: the operations of NVTX's memory extension on the simulated device.
#pragma once

#include <cstdint>
#include <string>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

/// Ownership: borrows the device. Threads: the run's thread.
struct RegionCalls {
  SimDevice& sim;

  /// Returns the number of a new heap, whose name its regions have in reports. The name may be
  /// empty.
  std::uint32_t add_heap(const std::string& name) const;
  /// Ends all regions of the heap. With `forget`, their places belong to the allocation again.
  void end_all(std::uint32_t heap, bool forget) const;
  /// Returns the number of a new region; 0 if it is not in device memory.
  std::uint32_t add(std::uint32_t heap, std::uint64_t base, std::uint64_t bytes) const;
  /// Returns the region that begins at an address, alive or not; 0 for none.
  std::uint32_t starting_at(std::uint64_t base) const;
  /// Ends the region. A second end is a fault.
  void end(std::uint32_t number) const;
  void resize(std::uint32_t number, std::uint64_t bytes) const;
};

/// Returns whether a call may use this many bytes at an address, with respect to regions. Records a
/// fault if the region has ended, or is smaller.
bool admit_region(SimDevice& sim, std::uint64_t address, std::uint64_t bytes);

}  // namespace harness::devices
