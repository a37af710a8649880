// SPDX-License-Identifier: Apache-2.0
#include "harness/driver/cuda/program_call.h"

// The linker defines these names, because the section's name is an identifier.
extern "C" __attribute__((visibility("hidden"))) const char __start_afterlife_calls[];
extern "C" __attribute__((visibility("hidden"))) const char __stop_afterlife_calls[];

/// Not inlined, and never a jump itself.
#define CALLS_PROGRAM __attribute__((section("afterlife_calls"), noinline, used))

namespace harness {

CALLS_PROGRAM void call_program(CUhostFn function, void* data) {
  function(data);
  asm volatile("" ::: "memory");
}

CALLS_PROGRAM void call_program(CUstreamCallback function, CUstream stream, CUresult status,
                                void* data) {
  function(stream, status, data);
  asm volatile("" ::: "memory");
}

CALLS_PROGRAM std::size_t call_program(CUoccupancyB2DSize function, int block_size) {
  const std::size_t bytes = function(block_size);
  asm volatile("" ::: "memory");
  return bytes;
}

ProgramCalls program_calls() {
  return {reinterpret_cast<std::uintptr_t>(__start_afterlife_calls),
          reinterpret_cast<std::uintptr_t>(__stop_afterlife_calls)};
}

}  // namespace harness
