// Device: a backend's table of allocations. A DeviceAllocation is a handle into it, not ownership.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "targets/argpack/memory.h"

namespace targets::argpack {

class Device;

/// Plain value. Good while its allocation lives, and nobody can tell from it whether it does.
struct DeviceAllocation {
  Device* device = nullptr;
  std::uint64_t alloc_id = 0;
  /// The birth whose handle this is. The real system cannot know it.
  harness::BirthId birth = harness::BirthId::none;
};

/// Lifetime: a handle is good from allocate() to deallocate(). Looking up a stale one is a fault,
/// fatal unless the id is someone else's by now.
class Device {
 public:
  Device(harness::Ledger& ledger, Memory& memory) : ledger_(ledger), memory_(memory) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;  // Handles point at it.
  Device& operator=(const Device&) = delete;

  virtual Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) = 0;
  virtual void deallocate(const DeviceAllocation& allocation) = 0;
  /// The host object that owns the allocation is made: to the ledger, its life is the handle's.
  virtual void adopt(DeviceAllocation& allocation, harness::BirthId owner) = 0;
  /// Where the allocation is, whoever has its id now.
  virtual CUdeviceptr pointer(const DeviceAllocation& allocation) = 0;

 protected:
  void check(harness::BirthId meant, harness::BirthId met) {
    if (!ledger_.used(meant, met)) ledger_.scheduler().die();
  }

  harness::Ledger& ledger_;
  Memory& memory_;
};

/// CPU, CUDA, AMDGPU: the id is an index, never used again; freeing leaves a null pointer there.
class LlvmDevice final : public Device {
 public:
  using Device::Device;
  Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) override;
  void deallocate(const DeviceAllocation& allocation) override;
  void adopt(DeviceAllocation& allocation, harness::BirthId owner) override;
  CUdeviceptr pointer(const DeviceAllocation& allocation) override;

 private:
  struct AllocInfo {
    CUdeviceptr ptr;
    Use use;
    harness::BirthId owner;  ///< None for what lives within one C call.
  };
  std::pmr::vector<AllocInfo> allocations_;
};

/// Vulkan and Metal: the id is the address of a pool node, last in, first out. What a command list
/// refers to keeps its memory, though not its id.
class GfxDevice final : public Device {
 public:
  using Device::Device;
  Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) override;
  void deallocate(const DeviceAllocation& allocation) override;
  /// Nothing: ids are reused by what has no owner too, so each allocation is a life of its own.
  void adopt(DeviceAllocation&, harness::BirthId) override {}
  CUdeviceptr pointer(const DeviceAllocation& allocation) override;

  /// Number of a buffer that a command list holds on to.
  using Buffer = std::uint32_t;
  Buffer retain(const DeviceAllocation& allocation);
  void release(Buffer buffer);

 private:
  struct Node {
    Buffer buffer;
    harness::BirthId resident;  ///< The life that has the id, or had it last.
  };
  struct BufferInfo {
    CUdeviceptr ptr;
    std::uint32_t references;
  };
  std::pmr::vector<Node> nodes_;
  std::pmr::vector<std::uint32_t> free_nodes_;
  std::pmr::vector<BufferInfo> buffers_;
};

}  // namespace targets::argpack
