// SPDX-License-Identifier: Apache-2.0
// Door 1 of 3: the interface for code under test. The only harness header that targets/ includes.
#pragma once

#include "harness/core/heap/interpreter.h"     // IWYU pragma: export
#include "harness/core/host.h"                 // IWYU pragma: export
#include "harness/core/scheduler/scheduler.h"  // IWYU pragma: export
#include "harness/core/shared/shared.h"        // IWYU pragma: export
#include "harness/core/sync.h"                 // IWYU pragma: export

namespace harness {

/// The parts of the world that a target may use. CUDA is reached through <cuda.h>. Ownership:
/// borrows everything, for one run.
struct Runtime {
  Scheduler& scheduler;
  Host& host;
  Heap& heap;
  /// The path's kernels, in the form that cuModuleLoadData accepts on this device.
  const void* kernels;
};

}  // namespace harness
