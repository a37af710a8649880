// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream waits for a value in memory, or writes one.
//
// A wait is checked again whenever the memory may have changed: at the end of a piece of work, at a
// call, and when nothing else can continue (the host writes pinned memory without a call).
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

class SimDevice;

/// Finds the memory of an address: calls::find_place, or find_node_place.
using FindPlace = CUresult (*)(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                               bool may_be_host, Place& place);

/// Checks the operations as cuStreamBatchMemOp does, and translates them. For graph nodes too.
CUresult read_memory_ops(SimDevice& sim, unsigned count, const CUstreamBatchMemOpParams* parameters,
                         FindPlace find_place, std::vector<MemoryOp>& operations);

/// Returns whether the condition of a wait (of CUstreamWaitValue_flags) is satisfied.
bool wait_is_over(unsigned condition, std::uint32_t bytes, std::uint64_t found,
                  std::uint64_t wanted);

}  // namespace harness::devices
