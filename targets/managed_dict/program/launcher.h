// SPDX-License-Identifier: Apache-2.0
// Launcher: the CUDA side of the workload: one tensor in, one out, one kernel.
#pragma once

#include <cuda.h>

#include <array>

#include "targets/managed_dict/managed_dict.h"

namespace targets::managed_dict {

/// Arguments that follow from the attributes of the context managers.
struct AutocastArguments {
  std::int32_t enabled;
  std::int32_t dtype;
  std::int32_t scale;
};

/// Ownership: owns its device memory until close(). Errors: false if a call failed; asked again, it
/// continues from there.
class Launcher {
 public:
  static constexpr std::uint32_t kThreads = 8;

  explicit Launcher(harness::Runtime& runtime)
      : runtime_(runtime), mutex_(runtime.scheduler, "launcher") {}

  /// Context, module, kernel: what a process keeps whatever becomes of its tensors.
  bool open();
  /// Runs the kernel and waits. `out` is what it left.
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
  harness::Mutex mutex_;  ///< One tensor each way: launches take turns.
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr in_ = 0;
  CUdeviceptr out_ = 0;
  CUdeviceptr frame_ = 0;
  bool filled_ = false;
  std::uint64_t current_ = 0;  ///< Bit per task: CUDA's current context is the thread's.
};

}  // namespace targets::managed_dict
