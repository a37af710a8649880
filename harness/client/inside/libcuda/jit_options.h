// SPDX-License-Identifier: Apache-2.0
// JIT options: options of the JIT linker, and the buffers for its logs.
#pragma once

#include <cuda.h>

#include <vector>

#include "harness/devices/sim/jit_log.h"

namespace harness::entries {

/// The options of a linker. They refer to the program's memory, which must stay valid.
struct JitOptions {
  devices::JitLog errors;
  devices::JitLog information;
  void** wall_time = nullptr;
  std::vector<const void*> outputs;  ///< Addresses to which the linker writes.
  bool is_verbose = false;

  /// Parses the options. Those without an effect here are accepted. Returns
  /// CUDA_ERROR_INVALID_VALUE for one that does not exist, or is not for linking.
  CUresult read(unsigned count, const CUjit_option* options, void** values);
  /// Adds to the time that is reported to the program.
  void took(float milliseconds);
};

/// Returns whether all of them are valid for a single input.
bool are_for_an_input(unsigned count, const CUjit_option* options);

}  // namespace harness::entries
