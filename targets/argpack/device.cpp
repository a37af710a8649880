// SPDX-License-Identifier: Apache-2.0
// Looks tables up again after every call with a preemption point: they may have grown.
#include "targets/argpack/device.h"

namespace targets::argpack {

static constexpr harness::Label kHandleKind = "DeviceAllocation";

Status LlvmDevice::allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) {
  CUdeviceptr address = 0;
  const Status status = memory_.allocate(use, bytes, address);
  if (status != Status::ok) return status;
  allocation = {this, allocations_.size(), harness::BirthId::none};
  allocations_.push_back({address, use, harness::BirthId::none});
  return Status::ok;
}

void LlvmDevice::adopt(DeviceAllocation& allocation, harness::BirthId owner) {
  AllocInfo& info = allocations_[allocation.alloc_id];
  allocation.birth = info.owner = owner;
  if (is_cpu_) memory_.mapped().adopt(info.ptr, owner);
}

// A cleared table has nothing to free.
void LlvmDevice::deallocate(const DeviceAllocation& allocation) {
  if (allocations_.empty()) return;
  AllocInfo& info = allocations_[allocation.alloc_id];
  if (info.ptr == 0) return ledger_.double_free(info.owner);
  if (is_lost(info)) ledger_.wrong_owner(info.owner, *memory_.mapped().owner_at(info.ptr));
  memory_.free(info.use, std::exchange(info.ptr, 0));
}

// Without a preceding validate(), the real look-up reads beyond the end of the table.
CUdeviceptr LlvmDevice::pointer(const DeviceAllocation& allocation) {
  if (!validate(allocation)) {
    check(allocation.birth, harness::BirthId::none);
    return 0;
  }
  const AllocInfo& info = allocations_[allocation.alloc_id];
  if (info.ptr == 0 || info.owner != allocation.birth) check(allocation.birth, info.owner);
  if (is_lost(info)) check(info.owner, *memory_.mapped().owner_at(info.ptr));
  return info.ptr;
}

/// Returns whether its memory was unmapped and another object is mapped there.
bool LlvmDevice::is_lost(const AllocInfo& info) const {
  if (!is_cpu_ || !finalized_) return false;
  const std::optional<harness::BirthId> owner = memory_.mapped().owner_at(info.ptr);
  return owner && *owner != info.owner;
}

void LlvmDevice::finalize(bool clears) {
  finalized_ = true;
  if (is_cpu_ && !clears) return;
  for (std::size_t i = 0; i < allocations_.size(); ++i)
    if (allocations_[i].ptr != 0)
      memory_.free(allocations_[i].use, std::exchange(allocations_[i].ptr, 0));
  allocations_.clear();
}

Status GfxDevice::allocate(Use use, std::size_t bytes, DeviceAllocation& allocation) {
  CUdeviceptr address = 0;
  const Status status = memory_.allocate(use, bytes, address);
  if (status != Status::ok) return status;
  std::uint32_t node = static_cast<std::uint32_t>(nodes_.size());
  if (free_nodes_.empty()) {
    nodes_.push_back({});
  } else {
    node = free_nodes_.back();
    free_nodes_.pop_back();
  }
  const harness::BirthId last = nodes_[node].resident;
  const harness::BirthId birth = ledger_.born(kHandleKind, node, bytes, last);
  buffers_.push_back({address, 1});
  nodes_[node] = {static_cast<std::uint32_t>(buffers_.size() - 1), birth};
  allocation = {this, node, birth};
  return Status::ok;
}

void GfxDevice::deallocate(const DeviceAllocation& allocation) {
  const auto node = static_cast<std::uint32_t>(allocation.alloc_id);
  const harness::BirthId resident = nodes_[node].resident;
  if (!ledger_.alive(resident)) return ledger_.double_free(resident);
  ledger_.died(resident);
  free_nodes_.push_back(node);
  release(nodes_[node].buffer);
}

CUdeviceptr GfxDevice::pointer(const DeviceAllocation& allocation) {
  GfxDevice& table = table_of(allocation);
  const Node& node = table.nodes_[allocation.alloc_id];
  check(allocation.birth, node.resident);
  return table.buffers_[node.buffer].ptr;
}

GfxDevice::Buffer GfxDevice::retain(const DeviceAllocation& allocation) {
  GfxDevice& table = table_of(allocation);
  const std::uint32_t buffer = table.nodes_[allocation.alloc_id].buffer;
  ++table.buffers_[buffer].references;
  return {&table, buffer};
}

void GfxDevice::release(std::uint32_t buffer) {
  if (--buffers_[buffer].references > 0) return;
  memory_.free(Use::object, buffers_[buffer].ptr);  // All gfx memory comes from one source.
}

}  // namespace targets::argpack
