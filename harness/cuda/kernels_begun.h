// SPDX-License-Identifier: Apache-2.0
// Kernels begun: how many of this process's kernels have begun on the device.
#pragma once

#include <atomic>

namespace harness {

/// Lifetime: the process; worlds come and go. Threads: any.
inline constinit std::atomic<unsigned long long> kernels_begun{0};

}  // namespace harness
