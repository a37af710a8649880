// SPDX-License-Identifier: Apache-2.0
// Door 1 of 3: the interface for code under test. The only harness header that targets/ includes.
#pragma once

#include <span>

#include "harness/core/heap/interpreter.h"     // IWYU pragma: export
#include "harness/core/host.h"                 // IWYU pragma: export
#include "harness/core/scheduler/scheduler.h"  // IWYU pragma: export
#include "harness/core/shared/shared.h"        // IWYU pragma: export
#include "harness/core/sync.h"                 // IWYU pragma: export
#include "harness/run/verdict.h"               // IWYU pragma: export

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

/// One way to implement a path: a row in the table of its target.
template <class Path, class... Arguments>
struct Variant {
  Label name;
  Claim claim;
  Path* (*make)(Runtime& runtime, Arguments... arguments);
};

}  // namespace harness
