// SPDX-License-Identifier: Apache-2.0
// All that the run created is known by address or handle, each with its birth id. The driver may
// reuse addresses and handles; only the latest object with an address or handle is known.
#include "harness/devices/gpu/gpu_device.h"

#include "harness/core/fault/kinds.h"

#include <algorithm>
#include <array>

namespace harness::devices {

static Label to_label(GpuDevice::Kind kind) {
  static constexpr std::array<Label, 14> kLabels{"context",
                                                 "module",
                                                 "stream",
                                                 "event",
                                                 "CUDA array",
                                                 "mipmapped CUDA array",
                                                 "texture object",
                                                 "surface object",
                                                 "pool",
                                                 "library",
                                                 "graph",
                                                 "graph node",
                                                 "executable graph",
                                                 "memory handle"};
  return kLabels[raw(kind)];
}

static CUresult dead_handle_error(GpuDevice::Kind kind) {
  using Kind = GpuDevice::Kind;
  if (kind == Kind::context) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return kind >= Kind::texture ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}

GpuDevice::GpuDevice() : driver_(load_driver()) {}

void GpuDevice::begin(World& world) {
  world_ = &world;
  handles_.clear();
  handle_order_.clear();
  parts_.begin();
  memory_.clear();
  graph_memory_.clear();
  imports_.begin();
  virtual_memory_ = {};
  stacks_.clear();
  thread_context_ = nullptr;
  primary_.begin();
  Callbacks::of_process().begin();
}

// ---- lifetimes --------------------------------------------------------------------------------

void GpuDevice::born(Kind kind, const void* handle) {
  const auto known = handles_.find(handle);
  const BirthId from = known != handles_.end() ? known->second.birth : BirthId::none;
  const BirthId birth =
      world_->ledger.born(to_label(kind), reinterpret_cast<std::uint64_t>(handle), 0, from);
  handles_[handle] = {kind, birth};
  handle_order_.push_back(handle);
  parts_.take_out(handle);
}

void GpuDevice::born_in(const void* whole, Kind kind, const void* part) {
  born(kind, part);
  parts_.put(part, whole);
}

CUresult GpuDevice::died(Kind kind, const void* handle) {
  const auto known = handles_.find(handle);
  if (known == handles_.end() || known->second.kind != kind) return CUDA_SUCCESS;
  const BirthId birth = known->second.birth;
  if (!world_->ledger.alive(birth)) {
    world_->ledger.double_free(birth);
    return dead_handle_error(kind);
  }
  world_->ledger.died(birth);
  if (kind == Kind::graph || kind == Kind::graph_node || kind == Kind::mipmapped_array)
    end_parts(handle);
  return CUDA_SUCCESS;
}

/// Ends the objects inside `whole`.
void GpuDevice::end_parts(const void* whole) {
  for (const void* other : handle_order_)
    if (other != whole && lives(other) && parts_.is_in(other, whole))
      world_->ledger.died(handles_.at(other).birth);
}

bool GpuDevice::lives(const void* handle) const {
  const auto known = handles_.find(handle);
  return known != handles_.end() && world_->ledger.alive(known->second.birth);
}

CUresult GpuDevice::check(Kind kind, const void* handle) {
  const auto known = handles_.find(handle);
  if (known == handles_.end() || known->second.kind != kind) return CUDA_SUCCESS;
  if (world_->ledger.alive(known->second.birth)) return CUDA_SUCCESS;
  world_->history.add(world_->ledger.describe(FaultKind::use_after_free, known->second.birth));
  return dead_handle_error(kind);
}

void GpuDevice::allocated(Origin origin, std::uint64_t address, std::uint64_t bytes) {
  const auto known = memory_.find(address);
  const BirthId from = known != memory_.end() ? known->second.birth : BirthId::none;
  // Earlier allocations inside the new block are forgotten.
  memory_.erase(memory_.lower_bound(address), memory_.lower_bound(address + bytes));
  const Label kind = origin == Origin::host         ? Label("pinned memory")
                     : origin == Origin::registered ? Label("registered memory")
                     : origin == Origin::mapped     ? Label("mapped memory")
                                                    : Label("device memory");
  const BirthId birth = world_->ledger.born(kind, address, bytes, from);
  memory_[address] = {origin, birth, bytes, world_->scheduler.process()};
}

CUresult GpuDevice::free(std::uint64_t address, Origin by,
                         const std::function<CUresult()>& driver) {
  if (graph_memory_.contains(address)) return driver();
  const auto known = memory_.find(address);
  if (known == memory_.end() || known->second.process != world_->scheduler.process() ||
      std::max(known->second.origin, Origin::pool) != std::max(by, Origin::pool)) {
    misuse("device memory", "freed, but no allocation starts there");
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!world_->ledger.alive(known->second.birth)) {
    world_->ledger.double_free(known->second.birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (const CUresult status = driver(); status != CUDA_SUCCESS) return status;
  if (imports_.any_open(known->second.birth))
    misuse("exported memory", "freed while it is mapped", known->second.birth);
  world_->ledger.died(known->second.birth);
  return CUDA_SUCCESS;
}

CUresult GpuDevice::check(std::uint64_t address, std::uint64_t bytes) {
  auto next = memory_.upper_bound(address);
  if (next == memory_.begin()) return CUDA_SUCCESS;
  const auto& [base, memory] = *--next;
  if (address - base >= memory.bytes) return CUDA_SUCCESS;
  if (memory.process != world_->scheduler.process()) return check_import(address, bytes);
  if (!world_->ledger.alive(memory.birth)) {
    if (memory.origin == Origin::registered) return CUDA_SUCCESS;  // The program's own again.
    world_->history.add(world_->ledger.describe(FaultKind::use_after_free, memory.birth));
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::uint64_t rest = memory.bytes - (address - base);
  if (bytes <= rest) return CUDA_SUCCESS;
  if (memory.origin == Origin::mapped && memory_at(base + memory.bytes) != nullptr)
    return check(base + memory.bytes, bytes - rest);
  misuse("device memory", "beyond the end of the allocation");
  return CUDA_ERROR_INVALID_VALUE;
}

/// Memory of another process may be used while it is open in this process and not freed.
CUresult GpuDevice::check_import(std::uint64_t address, std::uint64_t bytes) {
  const Imports::Mapping* mapping = imports_.find(world_->scheduler.process(), address);
  if (mapping == nullptr) {
    misuse("device memory", "an address of another process");
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const BirthId id : {mapping->birth, mapping->exported})
    if (!world_->ledger.alive(id)) {
      world_->history.add(world_->ledger.describe(FaultKind::use_after_free, id));
      return CUDA_ERROR_INVALID_VALUE;
    }
  if (bytes <= mapping->bytes - (address - mapping->address)) return CUDA_SUCCESS;
  misuse("device memory", "beyond the end of the allocation");
  return CUDA_ERROR_INVALID_VALUE;
}

void GpuDevice::misuse(Label kind, const char* detail, BirthId id) {
  Fault fault = world_->ledger.describe(FaultKind::api_misuse, id);
  fault.object_kind = kind;
  fault.detail = detail;
  world_->history.add(std::move(fault));
}

// ---- contexts ---------------------------------------------------------------------------------

std::vector<CUcontext>& GpuDevice::context_stack() {
  const std::size_t index = calling_thread(*world_);
  if (stacks_.size() <= index) stacks_.resize(index + 1);
  return stacks_[index];
}

CUresult GpuDevice::switch_context() {
  const std::vector<CUcontext>& stack = context_stack();
  CUcontext mine = stack.empty() ? nullptr : stack.back();
  if (mine == thread_context_) return CUDA_SUCCESS;
  thread_context_ = mine;
  return driver_.cuCtxSetCurrent(mine);
}

void GpuDevice::context_ended() {
  Ledger& ledger = world_->ledger;
  for (const auto& [handle, known] : handles_)
    if (known.kind == Kind::context && ledger.alive(known.birth)) return;
  for (const void* handle : handle_order_) {
    const Handle& known = handles_.at(handle);
    if (known.kind < Kind::pool && ledger.alive(known.birth)) ledger.died(known.birth);
  }
  for (const auto& [address, memory] : memory_)
    if (memory.origin != Origin::pool && memory.origin != Origin::mapped &&
        ledger.alive(memory.birth))
      ledger.died(memory.birth);
}

// ---- the end of a run -------------------------------------------------------------------------

// Errors are ignored: a context that a kernel has broken refuses every call, and destroying it
// releases all that belongs to it.
void GpuDevice::end() {
  std::vector<CUcontext> contexts;
  for (const void* handle : handle_order_) {
    const Handle& known = handles_.at(handle);
    if (known.kind == Kind::context && world_->ledger.alive(known.birth))
      contexts.push_back(static_cast<CUcontext>(const_cast<void*>(handle)));
  }
  bool is_broken = false;
  for (CUcontext context : contexts) {
    driver_.cuCtxSetCurrent(context);
    is_broken |= driver_.cuCtxSynchronize() != CUDA_SUCCESS;
  }
  if (!is_broken) free_memory();
  free_virtual_memory();
  if (!is_broken) free_handles();
  for (CUcontext context : contexts)
    if (context != primary_.handle()) driver_.cuCtxDestroy_v2(context);
  driver_.cuCtxSetCurrent(nullptr);
  primary_.end(is_broken);
  handles_.clear();
  handle_order_.clear();
  memory_.clear();
}

void GpuDevice::free_memory() {
  for (const auto& [address, memory] : memory_) {
    if (!world_->ledger.alive(memory.birth)) continue;
    if (memory.origin == Origin::host)
      driver_.cuMemFreeHost(reinterpret_cast<void*>(address));
    else if (memory.origin == Origin::mapped)
      continue;
    else if (memory.origin == Origin::registered)
      driver_.cuMemHostUnregister(reinterpret_cast<void*>(address));
    else
      driver_.cuMemFree_v2(address);
  }
  memory_.clear();
}

void GpuDevice::free_virtual_memory() {
  for (const auto& [address, bytes] : virtual_memory_.mappings) driver_.cuMemUnmap(address, bytes);
  for (const auto& [handle, count] : virtual_memory_.references)
    for (unsigned i = 0; i < count; ++i) driver_.cuMemRelease(handle);
  for (const auto& [address, bytes] : virtual_memory_.reservations)
    driver_.cuMemAddressFree(address, bytes);
  virtual_memory_ = {};
}

void GpuDevice::free_handles() {
  for (auto it = handle_order_.rbegin(); it != handle_order_.rend(); ++it) {
    const auto known = handles_.find(*it);
    if (known == handles_.end() || !world_->ledger.alive(known->second.birth)) continue;
    void* handle = const_cast<void*>(*it);
    const Kind kind = known->second.kind;
    if (parts_.has(handle)) continue;                  // Destroyed with its whole.
    if (kind != Kind::context) handles_.erase(known);  // A reused handle is in the list twice.
    switch (kind) {
      case Kind::stream:
        driver_.cuStreamDestroy_v2(static_cast<CUstream>(handle));
        break;
      case Kind::event:
        if (imports_.exported(static_cast<CUevent>(handle)) != nullptr) continue;
        driver_.cuEventDestroy_v2(static_cast<CUevent>(handle));
        break;
      case Kind::module:
        driver_.cuModuleUnload(static_cast<CUmodule>(handle));
        break;
      case Kind::array:
        driver_.cuArrayDestroy(static_cast<CUarray>(handle));
        break;
      case Kind::mipmapped_array:
        driver_.cuMipmappedArrayDestroy(static_cast<CUmipmappedArray>(handle));
        break;
      case Kind::texture:
        driver_.cuTexObjectDestroy(reinterpret_cast<CUtexObject>(handle));
        break;
      case Kind::surface:
        driver_.cuSurfObjectDestroy(reinterpret_cast<CUsurfObject>(handle));
        break;
      case Kind::pool:
        driver_.cuMemPoolDestroy(static_cast<CUmemoryPool>(handle));
        break;
      case Kind::library:
        driver_.cuLibraryUnload(static_cast<CUlibrary>(handle));
        break;
      case Kind::graph:
        driver_.cuGraphDestroy(static_cast<CUgraph>(handle));
        break;
      case Kind::graph_exec:
        driver_.cuGraphExecDestroy(static_cast<CUgraphExec>(handle));
        break;
      case Kind::context:
      case Kind::graph_node:
      case Kind::allocation:  // Already released.
        continue;
    }
  }
  handle_order_.clear();
}

}  // namespace harness::devices
