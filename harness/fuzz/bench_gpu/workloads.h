// SPDX-License-Identifier: Apache-2.0
// Workloads: the kernels of the paths, and driver operations around them, as work for a stream.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/fuzz/bench_gpu/gpu.h"

namespace harness::entries {

/// A piece of work whose time on the device is measured.
struct Workload {
  std::string name;  ///< PATH/KERNEL, or driver/WHAT.
  /// Allocates its memory on that GPU, and returns a function that submits it once to its stream.
  std::function<std::function<void()>(Gpu&)> prepare;
};

/// Returns all workloads, sorted by name; none if this was built without nvcc.
std::vector<Workload> workloads();

}  // namespace harness::entries
