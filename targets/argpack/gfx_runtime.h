// SPDX-License-Identifier: Apache-2.0
// GfxRuntime: a command list in which launches are recorded, and the memory that it refers to.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/argpack/context.h"
#include "targets/argpack/core.h"

namespace targets::argpack {

/// Ownership: owns the launches' buffers in ctx_buffers_, and a reference to all recorded memory.
class GfxRuntime {
 public:
  /// Taichi submits once the list is 2 ms old; here age is counted in launches.
  static constexpr std::size_t kPendingLimit = 4;

  GfxRuntime(Core& core, GfxDevice& device) : core_(core), device_(device) {}
  GfxRuntime(const GfxRuntime&) = delete;  // The program and its launches point at it.
  GfxRuntime& operator=(const GfxRuntime&) = delete;

  Status launch(const CompiledKernel& compiled, LaunchContext& context, bool returns);
  /// Submits the recorded launches and frees their own buffers. Other recorded memory is retained.
  Status flush();
  /// Called when the device has finished all submitted work.
  void finished();
  /// ~GfxRuntime: submits recorded launches, if any, and waits for them.
  void finish();
  bool empty() const { return recorded_.empty(); }

 private:
  struct Dispatch {
    KernelParameters parameters;
    std::array<GfxDevice::Buffer, 8> references;
    std::uint32_t reference_count;

    void refer(GfxDevice::Buffer buffer) { references[reference_count++] = buffer; }
  };
  struct Buffers {
    DeviceAllocation arguments;
    DeviceAllocation results;
    DeviceAllocation external;
  };

  Status prepare(const Walk& walk, LaunchContext& context, Buffers& buffers, Dispatch& dispatch);
  Status allocate(std::size_t bytes, DeviceAllocation& allocation);
  Status resolve_arrays(LaunchContext& context, Buffers& buffers, Dispatch& dispatch);
  CUdeviceptr resolve_array(const ArrayArgument& argument, Dispatch& dispatch);
  void resolve_packs(LaunchContext& context, const Walk& walk);
  Status copy_in(LaunchContext& context, const Buffers& buffers, Dispatch& dispatch);
  void record(const LaunchContext& context, const Buffers& buffers, Dispatch& dispatch);
  Status read_back(LaunchContext& context, const Buffers& buffers, bool returns);

  Core& core_;
  GfxDevice& device_;
  std::pmr::vector<Dispatch> recorded_;
  std::pmr::vector<GfxDevice::Buffer> submitted_;
  std::pmr::vector<DeviceAllocation> ctx_buffers_;
};

}  // namespace targets::argpack
