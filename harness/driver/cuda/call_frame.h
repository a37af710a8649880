// SPDX-License-Identifier: Apache-2.0
// Call frame: the end of the program's stack while it calls the driver.
#pragma once

#include <cstdint>

namespace harness {

/// Below this address, the calling thread's stack belongs to no function of the program.
/// Threads: each has its own; set at the beginning of each call of the thread.
inline constinit thread_local std::uintptr_t call_frame = 0;

}  // namespace harness
