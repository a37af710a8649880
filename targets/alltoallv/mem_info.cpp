// SPDX-License-Identifier: Apache-2.0
#include "targets/alltoallv/mem_info.h"

#include <bit>

namespace targets::alltoallv {

Status export_memory(CUdeviceptr base, MemInfo& info) {
  if (base == 0) return Status::ok;
  std::size_t bytes = 0;
  if (cuMemGetAddressRange(&info.ptr, &bytes, base) != CUDA_SUCCESS) return Status::driver_error;
  info.length = bytes;
  info.offset = base - info.ptr;
  CUipcMemHandle handle;
  if (cuIpcGetMemHandle(&handle, info.ptr) != CUDA_SUCCESS) return Status::driver_error;
  info.handle = std::bit_cast<Handle>(handle);
  return Status::ok;
}

}  // namespace targets::alltoallv
