// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream waits for a value in memory, or writes one.
//
// A wait is looked at again whenever something may have changed the memory: when a piece of work
// ends, when a call is made, and when otherwise nothing could continue (the host writes pinned
// memory without a call).
#pragma once

#include <cuda.h>

#include <cstdint>
#include <vector>

#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

class SimDevice;

/// Says whose memory an address is: calls::find_place, or find_node_place.
using FindPlace = CUresult (*)(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                               bool may_be_host, Place& place);

/// Checks the operations as cuStreamBatchMemOp does, and translates them. For graph nodes too.
CUresult read_memory_ops(SimDevice& sim, unsigned count, const CUstreamBatchMemOpParams* parameters,
                         FindPlace find_place, std::vector<MemoryOp>& operations);

/// Returns whether a wait with this condition (of CUstreamWaitValue_flags) is over.
bool wait_is_over(unsigned condition, std::uint32_t bytes, std::uint64_t found,
                  std::uint64_t wanted);

}  // namespace harness::devices
