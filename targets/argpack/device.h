// SPDX-License-Identifier: Apache-2.0
// Device: a backend's table of allocations. A DeviceAllocation is a handle into it, not ownership.
//
// It belongs to one program and has the same lifetime. Backends differ in what remains of the
// memory, and of the table, after the program ends.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "targets/argpack/memory.h"

namespace targets::argpack {

class Device;

/// Plain value. Valid while its allocation is alive, but it cannot tell whether it is.
struct DeviceAllocation {
  Device* device = nullptr;
  std::uint64_t alloc_id = 0;
  /// Birth of the allocation. For checks only: the real system does not know it.
  harness::BirthId birth = harness::BirthId::none;
};

/// Lifetime: a handle is valid from allocate() to deallocate() or finalize(). Looking up a stale
/// one is a use-after-free. It is fatal unless another allocation now has the id or the mapping.
class Device {
 public:
  Device(harness::Ledger& ledger, Memory& memory) : ledger_(ledger), memory_(memory) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;  // Handles point at it.
  Device& operator=(const Device&) = delete;

  virtual Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) = 0;
  virtual void deallocate(const DeviceAllocation& allocation) = 0;
  /// Called when the host object that owns the allocation exists: the ledger then treats both
  /// lifetimes as one.
  virtual void adopt(DeviceAllocation& allocation, harness::BirthId owner) = 0;
  /// Returns whether the table contains the handle's id. A checked look-up raises if it does
  /// not.
  virtual bool validate(const DeviceAllocation& allocation) const = 0;
  /// Returns the address of the allocation that now has the handle's id.
  virtual CUdeviceptr pointer(const DeviceAllocation& allocation) = 0;
  /// Called when the program ends. `clears`: the CPU's table is cleared along with its memory.
  virtual void finalize(bool clears) = 0;
  /// Returns whether deallocating this would free memory of an allocation of the next
  /// program.
  virtual bool is_lost(const DeviceAllocation& allocation) const = 0;

 protected:
  void check(harness::BirthId meant, harness::BirthId met) {
    if (!ledger_.used(meant, met)) ledger_.scheduler().die();
  }

  harness::Ledger& ledger_;
  Memory& memory_;
};

/// CPU, CUDA, AMDGPU: the id is an index and is never reused; after a free its entry is null. A
/// handle of another program is looked up by index, too. When the program ends, the table of CUDA
/// and AMDGPU is cleared; the CPU's still points at the old addresses.
class LlvmDevice final : public Device {
 public:
  LlvmDevice(harness::Ledger& ledger, Memory& memory, bool is_cpu)
      : Device(ledger, memory), is_cpu_(is_cpu) {}
  Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) override;
  void deallocate(const DeviceAllocation& allocation) override;
  void adopt(DeviceAllocation& allocation, harness::BirthId owner) override;
  bool validate(const DeviceAllocation& allocation) const override {
    return allocation.alloc_id < allocations_.size();
  }
  CUdeviceptr pointer(const DeviceAllocation& allocation) override;
  void finalize(bool clears) override;
  bool is_lost(const DeviceAllocation& allocation) const override {
    return is_cpu_ && validate(allocation) && is_lost(allocations_[allocation.alloc_id]);
  }

 private:
  struct AllocInfo {
    CUdeviceptr ptr;
    Use use;
    harness::BirthId owner;  ///< None for allocations within one C call.
  };

  bool is_lost(const AllocInfo& info) const;

  bool is_cpu_;
  bool finalized_ = false;
  std::pmr::vector<AllocInfo> allocations_;
};

/// Vulkan and Metal: the id is the address of a pool node and is reused, last in, first out. So it
/// names a node of the table that made it, whichever table looks it up. Memory that a command list
/// refers to is kept, but not its id. The end of the program frees nothing.
class GfxDevice final : public Device {
 public:
  using Device::Device;
  Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) override;
  void deallocate(const DeviceAllocation& allocation) override;
  /// Does nothing: objects without an owner reuse ids, too, so each allocation has its own
  /// lifetime.
  void adopt(DeviceAllocation&, harness::BirthId) override {}
  bool validate(const DeviceAllocation&) const override { return true; }
  CUdeviceptr pointer(const DeviceAllocation& allocation) override;
  void finalize(bool) override {}
  bool is_lost(const DeviceAllocation&) const override { return false; }

  /// Number of a buffer that a command list refers to, and the table that has it.
  struct Buffer {
    GfxDevice* device;
    std::uint32_t index;
  };
  static Buffer retain(const DeviceAllocation& allocation);
  static void release(const Buffer& buffer) { buffer.device->release(buffer.index); }

 private:
  static GfxDevice& table_of(const DeviceAllocation& allocation) {
    return static_cast<GfxDevice&>(*allocation.device);
  }
  void release(std::uint32_t buffer);

  struct Node {
    std::uint32_t buffer;
    harness::BirthId resident;  ///< Allocation that has the id, or had it last.
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
