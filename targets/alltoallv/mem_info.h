// SPDX-License-Identifier: Apache-2.0
// MemInfo: device memory of one process, as it is described to its peers.
#pragma once

#include <cuda.h>

#include "targets/alltoallv/alltoallv.h"

namespace targets::alltoallv {

/// An IPC handle, as words.
using Handle = std::array<std::uint64_t, CU_IPC_HANDLE_SIZE / sizeof(std::uint64_t)>;

/// A buffer as its peers see it: the allocation, and the offset of the user's pointer in it.
struct MemInfo {
  CUdeviceptr ptr = 0;  ///< Base of the allocation; 0 if nothing is sent.
  std::uint64_t length = 0;
  std::uint64_t offset = 0;
  Handle handle{};
};

/// Describes the memory at `base` for peers in `info`; does nothing if `base` is null.
Status export_memory(CUdeviceptr base, MemInfo& info);

}  // namespace targets::alltoallv
