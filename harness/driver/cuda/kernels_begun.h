// SPDX-License-Identifier: Apache-2.0
// Kernels begun: the number of this process's kernels that have begun on the device.
#pragma once

#include <atomic>

namespace harness {

/// Lifetime: the process, because worlds are shorter. Threads: any.
inline constinit std::atomic<unsigned long long> kernels_begun{0};

}  // namespace harness
