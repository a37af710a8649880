// SPDX-License-Identifier: Apache-2.0
// JIT options: options of the JIT linker, and the buffers for its logs.
#pragma once

#include <cuda.h>

#include <vector>

#include "harness/devices/sim/jit_log.h"

namespace harness::entries {

/// The options that a linker is made with. They point into the program's memory, which has to stay.
struct JitOptions {
  devices::JitLog errors;
  devices::JitLog information;
  void** wall_time = nullptr;
  std::vector<const void*> outputs;  ///< Where the linker writes.
  bool is_verbose = false;

  /// Reads them. Options without an effect here are accepted. Returns CUDA_ERROR_INVALID_VALUE for
  /// one that does not exist, or is not for linking.
  CUresult read(unsigned count, const CUjit_option* options, void** values);
  /// Adds to the time that the program is reported.
  void took(float milliseconds);
};

/// Returns whether each may be given with one input.
bool are_for_an_input(unsigned count, const CUjit_option* options);

}  // namespace harness::entries
