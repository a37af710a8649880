// SPDX-License-Identifier: Apache-2.0
// Tracked allocator: CPython's own pymalloc, with a birth id per block and a check of every free().
//
// It changes nothing: each request is forwarded as it is, even a wrong free().
// Lifetime: from install() to the end of the process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace scenarios::managed_dict::embedded {

struct TrackedBlock {
  std::uintptr_t address = 0;  ///< Result of malloc(); 0 if there is no block.
  std::size_t bytes = 0;       ///< Requested size.
  std::uint64_t id = 0;        ///< Counts from 1; never reused.
};

/// Called before each free() of a pointer into, or near, a tracked block, with that block.
using OnFree = void (*)(std::uintptr_t pointer, const TrackedBlock& block);

/// Intercepts the allocators of objects and memory. Call once, after Py_Initialize.
void install_tracked_allocator(OnFree on_free);

/// Returns the tracked block that contains this byte; address 0 if there is none.
TrackedBlock block_at(std::uintptr_t address);

}  // namespace scenarios::managed_dict::embedded
