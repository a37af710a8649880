// SPDX-License-Identifier: Apache-2.0
// Launcher: the CUDA side of the workload: an input tensor, an output tensor and a kernel.
#pragma once

#include <cuda.h>

#include <array>

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

/// Kernel arguments, from the attributes of the context managers.
struct AutocastArguments {
  std::int32_t enabled;
  std::int32_t dtype;
  std::int32_t scale;
};

/// Ownership: owns its device memory until close(). Errors: false if a call failed; the next open()
/// continues from there.
class Launcher {
 public:
  static constexpr std::uint32_t kThreads = 8;

  explicit Launcher(harness::Runtime& runtime)
      : runtime_(runtime), mutex_(runtime.scheduler, "launcher") {}

  /// Creates the context, the module and the kernel, which outlive the tensors.
  bool open();
  /// Runs the kernel and waits. `out` gets its result.
  bool launch(const AutocastArguments& arguments, std::array<std::int32_t, kThreads>& out);
  bool close();

  static std::int32_t input(std::uint32_t thread) {
    return static_cast<std::int32_t>(100 + thread);
  }

 private:
  struct Frame {
    CUdeviceptr in;
    CUdeviceptr out;
  };
  static constexpr std::size_t kTensorBytes = kThreads * sizeof(std::int32_t);

  bool reserve();

  bool run(const AutocastArguments& arguments, std::array<std::int32_t, kThreads>& out);

  harness::Runtime& runtime_;
  harness::Mutex mutex_;  ///< There is only one tensor each way.
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr in_ = 0;
  CUdeviceptr out_ = 0;
  CUdeviceptr frame_ = 0;
  bool filled_ = false;
  std::uint64_t current_ = 0;  ///< One bit per task: CUDA's current context is per thread.
};

}  // namespace targets::managed_dict
