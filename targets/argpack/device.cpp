// Each table is looked up again after every call that may hand over the turn: it may have grown.
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
  allocation.birth = allocations_[allocation.alloc_id].owner = owner;
}

void LlvmDevice::deallocate(const DeviceAllocation& allocation) {
  AllocInfo& info = allocations_[allocation.alloc_id];
  if (info.ptr == 0) return ledger_.double_free(info.owner);
  memory_.free(info.use, std::exchange(info.ptr, 0));
}

CUdeviceptr LlvmDevice::pointer(const DeviceAllocation& allocation) {
  const AllocInfo& info = allocations_[allocation.alloc_id];
  if (info.ptr == 0) check(allocation.birth, info.owner);
  return info.ptr;
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
  nodes_[node] = {static_cast<Buffer>(buffers_.size() - 1), birth};
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
  const Node& node = nodes_[allocation.alloc_id];
  check(allocation.birth, node.resident);
  return buffers_[node.buffer].ptr;
}

GfxDevice::Buffer GfxDevice::retain(const DeviceAllocation& allocation) {
  const Buffer buffer = nodes_[allocation.alloc_id].buffer;
  ++buffers_[buffer].references;
  return buffer;
}

void GfxDevice::release(Buffer buffer) {
  if (--buffers_[buffer].references > 0) return;
  memory_.free(Use::object, buffers_[buffer].ptr);  // All of gfx's memory is of one source.
}

}  // namespace targets::argpack
