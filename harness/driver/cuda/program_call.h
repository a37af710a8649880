// SPDX-License-Identifier: Apache-2.0
// Program calls: functions of the program that the driver calls.
//
// The last call in such a function may be a jump, and then returns to the driver. So the code that
// calls these functions is in a separate section, which does not count as the driver's code.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace harness {

/// Each calls the function, and returns what it returns.
void call_program(CUhostFn function, void* data);
void call_program(CUstreamCallback function, CUstream stream, CUresult status, void* data);
std::size_t call_program(CUoccupancyB2DSize function, int block_size);

/// Addresses of code.
struct ProgramCalls {
  std::uintptr_t begin;
  std::uintptr_t end;
};
/// Returns the code of the functions above.
ProgramCalls program_calls();

}  // namespace harness
