// SPDX-License-Identifier: Apache-2.0
// Driver: CUDA objects of a process that outlive its programs: the context, the module, the
// kernels, and the stream of a torch user.
#pragma once

#include <cuda.h>

#include "targets/argpack/memory.h"

namespace targets::argpack {

class Driver {
 public:
  Driver(harness::Runtime& runtime, Backend backend)
      : runtime_(runtime), backend_(backend), memory_(backend) {}

  /// Opens everything, in the first ti.init(). After a failure, a second call resumes there.
  Status open() {
    if (context_ == nullptr && !open_context()) return Status::driver_error;
    make_current();
    if (module_ == nullptr && !good(cuModuleLoadData(&module_, runtime_.kernels)))
      return Status::driver_error;
    const harness::Label entry = backend_ == Backend::gfx ? kReadBound : kWalkPacks;
    if (!good(cuModuleGetFunction(&function_, module_, entry.c_str()))) return Status::driver_error;
    if (user_stream_ == nullptr && !good(cuStreamCreate(&user_stream_, CU_STREAM_NON_BLOCKING)))
      return Status::driver_error;
    return memory_.reserve();
  }

  /// Makes the context current. CUDA's current context is per thread, so each task needs this once.
  void make_current() {
    const std::uint32_t task = harness::raw(runtime_.scheduler.current()) % 64;
    if (context_ == nullptr || (current_ >> task & 1) != 0) return;
    current_ |= std::uint64_t{1} << task;
    cuCtxSetCurrent(context_);
  }

  Memory& memory() { return memory_; }
  CUfunction function() const { return function_; }
  CUstream user_stream() const { return user_stream_; }

 private:
  static bool good(CUresult result) { return result == CUDA_SUCCESS; }

  bool open_context() {
    CUdevice device = 0;
    return good(cuInit(0)) && good(cuDeviceGet(&device, 0)) &&
           good(cuDevicePrimaryCtxRetain(&context_, device));
  }

  harness::Runtime& runtime_;
  Backend backend_;
  Memory memory_;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUstream user_stream_ = nullptr;
  std::uint64_t current_ = 0;  ///< One bit per task.
};

}  // namespace targets::argpack
