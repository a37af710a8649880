// SPDX-License-Identifier: Apache-2.0
// Tracked allocator: CPython's own pymalloc, with a birth id per block and every free() looked at.
//
// It changes nothing: what is asked is passed on as it came, a wrong free() included.
// Lifetime: from install() to the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scenarios::managed_dict::embedded {

struct TrackedBlock {
  std::uintptr_t address = 0;  ///< The address that malloc() returned; 0 = no block.
  std::size_t bytes = 0;       ///< The size that was asked for.
  std::uint64_t id = 0;        ///< Counts up from 1, never reused.
};

/// Called before each free() of a pointer into a tracked block, with the block it is of or nearest.
using OnFree = void (*)(std::uintptr_t pointer, const TrackedBlock& block);

/// Puts itself before the allocators of objects and memory. Once, after Py_Initialize.
void install_tracked_allocator(OnFree on_free);

/// The tracked block that has this byte; none (address 0) where there is no such block.
TrackedBlock block_at(std::uintptr_t address);

}  // namespace scenarios::managed_dict::embedded
