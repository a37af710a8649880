// SPDX-License-Identifier: Apache-2.0
// Parts: which blocks were the last to be given the pieces of a range of storage.
#pragma once

#include <cstdint>

#include "harness/devices/sim/memory/memory.h"

namespace harness::devices {

/// Returns how much storage a block of this many bytes takes.
std::uint64_t storage_bytes(std::uint64_t bytes);

/// Returns what the address of a block of this many bytes is a multiple of.
std::uint64_t alignment_of(std::uint64_t bytes);

/// Returns the end of what the block that was last given `address` has there, in one piece.
std::uint64_t part_end(Memory& memory, std::uint64_t address);

/// Returns the first address of the block from which on its storage is no other block's; the end of
/// the block where there is none.
std::uint64_t own_storage(Memory& memory, std::uint32_t index);

/// Returns whether neither the block's storage nor part of it was given out since.
bool storage_is_free(Memory& memory, std::uint32_t index);

/// Calls `visit(index)` for each block that was the last to be given a part of [low, high), in
/// order, as long as it returns true. Returns whether all did. All of it was given out.
template <class Visit>
bool visit_parts(Memory& memory, std::uint64_t low, std::uint64_t high, Visit visit) {
  for (std::uint64_t address = low; address < high; address = part_end(memory, address))
    if (!visit(memory.newest(address))) return false;
  return true;
}

}  // namespace harness::devices
