// SPDX-License-Identifier: Apache-2.0
// Workloads: the kernels of the paths, and what the driver does around them, as work for a stream.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/entries/bench_gpu/gpu.h"

namespace harness::entries {

/// Something whose time on the device is measured.
struct Workload {
  std::string name;  ///< PATH/KERNEL, or driver/WHAT.
  /// Makes its memory there, and returns a function that submits it once to the GPU's stream.
  std::function<std::function<void()>(Gpu&)> prepare;
};

/// All there are, sorted by name; none if this was built without nvcc.
std::vector<Workload> workloads();

}  // namespace harness::entries
