// SPDX-License-Identifier: Apache-2.0
// Device: a backend's table of allocations. A DeviceAllocation is a handle into it, not ownership.
//
// It is of one program, and lives for as long. What the program's end leaves of the memory, and of
// the table, is the backend's own.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "targets/argpack/memory.h"

namespace targets::argpack {

class Device;

/// Plain value. Valid while its allocation is alive, which it does not say.
struct DeviceAllocation {
  Device* device = nullptr;
  std::uint64_t alloc_id = 0;
  /// The birth whose handle this is. The real system cannot know it.
  harness::BirthId birth = harness::BirthId::none;
};

/// Lifetime: a handle is good from allocate() to deallocate(), or to finalize(). Looking up a stale
/// one is a fault, fatal unless the id, or the mapping, is someone else's by now.
class Device {
 public:
  Device(harness::Ledger& ledger, Memory& memory) : ledger_(ledger), memory_(memory) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;  // Handles point at it.
  Device& operator=(const Device&) = delete;

  virtual Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) = 0;
  virtual void deallocate(const DeviceAllocation& allocation) = 0;
  /// The host object that owns the allocation has been made: to the ledger, its lifetime is the
  /// handle's.
  virtual void adopt(DeviceAllocation& allocation, harness::BirthId owner) = 0;
  /// Returns whether the table contains the id of the handle. A look-up that checks raises if it
  /// does not.
  virtual bool validate(const DeviceAllocation& allocation) const = 0;
  /// Returns the place of the allocation that has its id now.
  virtual CUdeviceptr pointer(const DeviceAllocation& allocation) = 0;
  /// The program ends. `clears`: with the memory of a CPU's goes its table.
  virtual void finalize(bool clears) = 0;
  /// Returns whether an allocation of the next program has the memory that deallocating this would
  /// end.
  virtual bool is_lost(const DeviceAllocation& allocation) const = 0;

 protected:
  void check(harness::BirthId meant, harness::BirthId met) {
    if (!ledger_.used(meant, met)) ledger_.scheduler().die();
  }

  harness::Ledger& ledger_;
  Memory& memory_;
};

/// CPU, CUDA, AMDGPU: the id is an index, never reused; freeing leaves a null pointer there. A
/// handle of another program is looked up by its index as well. At the end of the program the table
/// of CUDA and AMDGPU is cleared, and the CPU's keeps pointing where its memory was.
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

/// Vulkan and Metal: the id is the address of a pool node, last in, first out, so it names a node
/// of the table that made it, whatever table looks it up. Memory that a command list refers to is
/// kept, though not its id. The end of the program frees nothing.
class GfxDevice final : public Device {
 public:
  using Device::Device;
  Status allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) override;
  void deallocate(const DeviceAllocation& allocation) override;
  /// Nothing: ids are also reused by things without an owner, so each allocation is a separate
  /// lifetime.
  void adopt(DeviceAllocation&, harness::BirthId) override {}
  bool validate(const DeviceAllocation&) const override { return true; }
  CUdeviceptr pointer(const DeviceAllocation& allocation) override;
  void finalize(bool) override {}
  bool is_lost(const DeviceAllocation&) const override { return false; }

  /// Number of a buffer that a command list holds on to, in the table that it is of.
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
    harness::BirthId resident;  ///< The allocation that has the id, or had it last.
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
