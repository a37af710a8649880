// SPDX-License-Identifier: Apache-2.0
// Calls of suballocators: what NVTX's extension for memory tells, as the simulated driver has it.
#pragma once

#include <cstdint>
#include <string>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

/// Ownership: borrows the device. Threads: the run's thread.
struct RegionCalls {
  SimDevice& sim;

  /// Returns the number of a heap, by whose name its regions are reported; the name may be empty.
  std::uint32_t add_heap(const std::string& name) const;
  /// All regions of the heap end. With `forget`, their place is the allocation's again.
  void end_all(std::uint32_t heap, bool forget) const;
  /// Returns the number of the region; 0 if that is not memory of the device's.
  std::uint32_t add(std::uint32_t heap, std::uint64_t base, std::uint64_t bytes) const;
  /// Returns the region that begins at an address, alive or not; 0 for none.
  std::uint32_t starting_at(std::uint64_t base) const;
  /// The region ends. It is a fault if it has ended already.
  void end(std::uint32_t number) const;
  void resize(std::uint32_t number, std::uint64_t bytes) const;
};

/// Returns whether a call may use this many bytes at an address, as far as regions go: it is a
/// fault where a region has ended, or ends within.
bool admit_region(SimDevice& sim, std::uint64_t address, std::uint64_t bytes);

}  // namespace harness::devices
