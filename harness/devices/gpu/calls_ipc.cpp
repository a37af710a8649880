// SPDX-License-Identifier: Apache-2.0
// Memory and events shared between processes: see ipc.h.
#include "harness/devices/gpu/calls.h"

namespace harness::devices::gpu_calls {

namespace {

// ---- memory -----------------------------------------------------------------------------------

CUresult export_memory(CUipcMemHandle* handle, CUdeviceptr address) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = gpu.check(address, 1); error != CUDA_SUCCESS) return error;
  const GpuDevice::Memory* memory = gpu.memory_at(address);
  if (memory != nullptr && memory->process != gpu.world().scheduler.process())
    return CUDA_ERROR_INVALID_VALUE;
  const CUresult status = gpu.driver().cuIpcGetMemHandle(handle, address);
  if (status == CUDA_SUCCESS && memory != nullptr)
    gpu.imports().remember(*handle, {address, memory->birth});
  return status;
}

CUresult open_memory(CUdeviceptr* address, CUipcMemHandle handle, unsigned flags) {
  GpuDevice& gpu = GpuDevice::current();
  if (address == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult injected = gpu.imports().failures().next(gpu.world());
      injected != CUDA_SUCCESS)
    return injected;
  const Imports::Exported* exported = gpu.imports().find(handle);
  const GpuDevice::Memory* memory =
      exported != nullptr ? gpu.memory_at(exported->address) : nullptr;
  if (memory == nullptr || memory->process == gpu.world().scheduler.process())
    return gpu.driver().cuIpcOpenMemHandle_v2(address, handle, flags);
  Ledger& ledger = gpu.world().ledger;
  if (memory->birth != exported->birth || !ledger.alive(memory->birth))
    return CUDA_ERROR_INVALID_HANDLE;
  Imports::Mapping* known = gpu.imports().find(gpu.world().scheduler.process(), exported->address);
  if (known != nullptr && known->open_count > 0) {
    if (known->exported != exported->birth) return CUDA_ERROR_ALREADY_MAPPED;
    ++known->open_count;
  } else {
    const BirthId from = known != nullptr ? known->birth : BirthId::none;
    const BirthId birth = ledger.born("IPC mapping", exported->address, memory->bytes, from);
    gpu.imports().add({exported->address, memory->bytes, gpu.world().scheduler.process(),
                       exported->birth, birth, 1});
  }
  *address = exported->address;
  return CUDA_SUCCESS;
}

CUresult close_memory(CUdeviceptr address) {
  GpuDevice& gpu = GpuDevice::current();
  Imports::Mapping* mapping = gpu.imports().find(gpu.world().scheduler.process(), address);
  if (mapping == nullptr || mapping->address != address) {
    gpu.misuse("IPC mapping", "closed, but no mapping starts there");
    return CUDA_ERROR_INVALID_VALUE;
  }
  Ledger& ledger = gpu.world().ledger;
  if (mapping->open_count == 0) {
    ledger.double_free(mapping->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (--mapping->open_count == 0 && ledger.alive(mapping->birth)) ledger.died(mapping->birth);
  return CUDA_SUCCESS;
}

// ---- events -----------------------------------------------------------------------------------

CUresult create_event(CUevent* event, unsigned flags) {
  GpuDevice& gpu = GpuDevice::current();
  constexpr unsigned kShared = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;
  const bool is_shared = (flags & kShared) == kShared;
  const unsigned drivers = is_shared ? flags & ~unsigned{CU_EVENT_INTERPROCESS} : flags;
  const CUresult status = gpu.driver().cuEventCreate(event, drivers);
  if (status != CUDA_SUCCESS) return status;
  gpu.born(Kind::event, *event);
  if (is_shared) gpu.imports().may_share(*event);
  return status;
}

CUresult export_event(CUipcEventHandle* handle, CUevent event) {
  GpuDevice& gpu = GpuDevice::current();
  if (const CUresult error = check(gpu, event); error != CUDA_SUCCESS) return error;
  if (gpu.imports().exported(event) != nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (handle == nullptr || !gpu.imports().is_shareable(event))
    return gpu.driver().cuIpcGetEventHandle(handle, event);
  *handle = gpu.imports().remember({event, gpu.world().scheduler.process()});
  return CUDA_SUCCESS;
}

CUresult open_event(CUevent* opened, CUipcEventHandle handle) {
  GpuDevice& gpu = GpuDevice::current();
  if (opened == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Imports::ExportedEvent* exported = gpu.imports().find(handle);
  if (exported == nullptr) return gpu.driver().cuIpcOpenEventHandle(opened, handle);
  if (exported->exporter == gpu.world().scheduler.process()) return CUDA_ERROR_INVALID_CONTEXT;
  if (!gpu.lives(exported->event)) return CUDA_ERROR_INVALID_HANDLE;
  *opened = gpu.imports().open(exported->event);
  gpu.born(Kind::event, *opened);
  return CUDA_SUCCESS;
}

CUresult destroy_event(CUevent event) {
  GpuDevice& gpu = GpuDevice::current();
  const CUresult error = gpu.died(Kind::event, event);
  if (error != CUDA_SUCCESS || gpu.imports().exported(event) != nullptr) return error;
  gpu.imports().destroyed(event);
  return gpu.driver().cuEventDestroy_v2(event);
}

}  // namespace

void add_ipc(DriverTable& table) {
  table.cuIpcGetMemHandle = export_memory;
  table.cuIpcOpenMemHandle_v2 = open_memory;
  table.cuIpcCloseMemHandle = close_memory;
  table.cuEventCreate = create_event;
  table.cuIpcGetEventHandle = export_event;
  table.cuIpcOpenEventHandle = open_event;
  table.cuEventDestroy_v2 = destroy_event;
}

}  // namespace harness::devices::gpu_calls
