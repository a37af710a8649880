// SPDX-License-Identifier: Apache-2.0
// Door 1 of 3: what code under test may use. The only harness header that targets/ includes.
#pragma once

#include <span>

#include "harness/heap/interpreter.h"  // IWYU pragma: export
#include "harness/host.h"              // IWYU pragma: export
#include "harness/scheduler.h"         // IWYU pragma: export
#include "harness/shared.h"            // IWYU pragma: export
#include "harness/sync.h"              // IWYU pragma: export
#include "harness/verdict.h"           // IWYU pragma: export

namespace harness {

/// The parts of the world that a target may use. CUDA is reached through <cuda.h>. Ownership:
/// borrows everything, for one run.
struct Runtime {
  Scheduler& scheduler;
  Host& host;
  Heap& heap;
  /// The path's kernels, as cuModuleLoadData takes them on this device.
  const void* kernels;
};

/// One way to implement a path, as its target's table lists it.
template <class Path, class... Arguments>
struct Variant {
  Label name;
  Claim claim;
  Path* (*make)(Runtime& runtime, Arguments... arguments);
};

}  // namespace harness
