// SPDX-License-Identifier: Apache-2.0
// Call frame: the end of the program's stack while it calls the driver.
#pragma once

#include <cstdint>

namespace harness {

/// Below it, the calling thread's stack belongs to no function of the program any more.
/// Threads: each has its own; set by each call that the thread begins.
inline constinit thread_local std::uintptr_t call_frame = 0;

}  // namespace harness
