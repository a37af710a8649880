// SPDX-License-Identifier: Apache-2.0
// Parts: the blocks that were last given the pieces of a range of storage.
#pragma once

#include <cstdint>

#include "harness/devices/sim/memory/memory.h"

namespace harness::devices {

/// Returns the storage that a block of this many bytes takes.
std::uint64_t storage_bytes(std::uint64_t bytes);

/// Returns the alignment of a block of this many bytes.
std::uint64_t alignment_of(std::uint64_t bytes);

/// Returns the end of the contiguous storage at `address` of the block that was last given it.
std::uint64_t part_end(Memory& memory, std::uint64_t address);

/// Returns the first address from which on the block's storage was not reused; the end of the block
/// if there is none.
std::uint64_t own_storage(Memory& memory, std::uint32_t index);

/// Returns whether no part of the block's storage was reused.
bool storage_is_free(Memory& memory, std::uint32_t index);

/// Calls `visit(index)` for each block that was last given a part of [low, high), in order, while
/// it returns true. Returns whether all calls did. All of the range must have been allocated
/// before.
template <class Visit>
bool visit_parts(Memory& memory, std::uint64_t low, std::uint64_t high, Visit visit) {
  for (std::uint64_t address = low; address < high; address = part_end(memory, address))
    if (!visit(memory.newest(address))) return false;
  return true;
}

}  // namespace harness::devices
