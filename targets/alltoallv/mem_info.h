// SPDX-License-Identifier: Apache-2.0
// MemInfo: device memory of one process as the others learn of it.
#pragma once

#include <cuda.h>

#include "targets/alltoallv/alltoallv.h"

namespace targets::alltoallv {

/// An IPC handle, as words.
using Handle = std::array<std::uint64_t, CU_IPC_HANDLE_SIZE / sizeof(std::uint64_t)>;

/// A buffer as its peers see it: the allocation, and where in it the user's pointer is.
struct MemInfo {
  CUdeviceptr ptr = 0;  ///< Base of the allocation; 0 if nothing is sent.
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  Handle handle{};
};

/// Writes into `info` how peers reach the memory at `base`; does nothing if that is null.
Status export_memory(CUdeviceptr base, MemInfo& info);

}  // namespace targets::alltoallv
