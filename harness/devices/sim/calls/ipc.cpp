// SPDX-License-Identifier: Apache-2.0
// Exporting, opening and closing of handles. The calling process is that of the running task; see
// ProcessScope in harness/core/scheduler/scheduler.h.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/memory/ipc.h"

namespace harness::devices {

Event* recorded_event(SimDevice& sim, Event* event) {
  if (event == nullptr || (event->exported == nullptr && event->peer.process == 0)) [[likely]]
    return event;
  if (Event* exported = event->exported; exported != nullptr) {
    if (!exported->alive && !sim.faults().spared(exported->birth)) {
      sim.faults().used_dead(exported->birth);
      return nullptr;
    }
    event = exported;
  }
  if (event->peer.process != 0) sim.processes().sharing().refresh(*event);
  return event;
}

// ---- names ------------------------------------------------------------------------------------

IpcWords words_of(const IpcName& name) {
  IpcWords words{std::uint64_t{name.birth} << 32 | name.place, name.run, name.process};
  const std::uint64_t all = mix(mix(words[0], name.run), name.process);
  for (std::size_t i = 3; i < words.size(); ++i) words[i] = mix(name.kind + i, all);
  return words;
}

IpcName name_in(const IpcWords& words, std::uint64_t kind) {
  const IpcName name{kind, words[1], static_cast<std::uint32_t>(words[2]),
                     static_cast<std::uint32_t>(words[0] >> 32),
                     static_cast<std::uint32_t>(words[0])};
  return words == words_of(name) ? name : IpcName{};
}

IpcName name_for_peers(std::uint64_t kind, PeerObject object) {
  return {kind, Sharing::run(), object.process, object.index, 0};
}

bool is_of_another_run(const IpcName& name) {
  return name.process != 0 && name.run != Sharing::run();
}

int name_file(const IpcName& name) {
  const int file = ::memfd_create("device memory", MFD_CLOEXEC);
  const IpcWords words = words_of(name);
  if (file >= 0 && ::pwrite(file, words.data(), sizeof words, 0) != sizeof words) {
    ::close(file);
    return -1;
  }
  return file;
}

IpcName name_in_file(int file, std::uint64_t kind) {
  IpcWords words{};
  return ::pread(file, words.data(), sizeof words, 0) == sizeof words ? name_in(words, kind)
                                                                      : IpcName{};
}

namespace calls {
namespace {

constexpr std::uint64_t kMemory = hash_name("IPC memory");
constexpr std::uint64_t kEvent = hash_name("IPC event");

template <class Handle>
Handle make_handle(const IpcName& name) {
  return std::bit_cast<Handle>(words_of(name));
}

template <class Handle>
IpcName read_handle(const Handle& handle, std::uint64_t kind) {
  return name_in(std::bit_cast<IpcWords>(handle), kind);
}

// ---- memory -----------------------------------------------------------------------------------

/// Finds the block of another process of the run that the handle names.
CUresult find_foreign(SimDevice& sim, const IpcName& name, std::uint32_t& exported) {
  if (is_of_another_run(name)) return CUDA_ERROR_INVALID_VALUE;
  if (Sharing::is_own({name.process, name.birth})) return CUDA_ERROR_INVALID_CONTEXT;
  exported = sim.processes().sharing().find({name.process, name.birth});
  return exported != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Finds the exported block that `handle` names, if it has not been freed.
CUresult find_exported(SimDevice& sim, const CUipcMemHandle& handle, std::uint32_t& exported) {
  const IpcName name = read_handle(handle, kMemory);
  if (name.birth == 0 || name.place >= sim.memory().block_count()) return CUDA_ERROR_INVALID_VALUE;
  if (name.process != 0) return find_foreign(sim, name, exported);
  const Block& block = sim.memory().block(name.place);
  if (raw(block.birth) != name.birth || block.freed) return CUDA_ERROR_INVALID_HANDLE;
  exported = name.place;
  return CUDA_SUCCESS;
}

/// Returns the mapping of `exported` that this process has open; 0 if there is none. Sets `refused`
/// if another context of this process has opened memory of the exporting process.
std::uint32_t find_mapping(SimDevice& sim, std::uint32_t exported, bool& refused) {
  std::vector<std::uint32_t>& mappings = sim.processes().current().mappings;
  std::erase_if(mappings, [&](std::uint32_t index) { return sim.memory().block(index).dead; });
  std::uint32_t found = 0;
  for (const std::uint32_t index : mappings) {
    const Block& mapping = sim.memory().block(index);
    const Block& source = sim.memory().block(mapping.exported);
    if (source.process == sim.memory().block(exported).process &&
        mapping.context != sim.threads().context())
      refused = true;
    if (mapping.exported == exported) found = index;
  }
  return found;
}

}  // namespace

CUresult Calls::cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = find_block(sim, address, 1);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = sim.memory().block(index);
  if (block.origin != Origin::device) return CUDA_ERROR_INVALID_VALUE;
  if (block.base != address) {
    sim.faults().misuse("device memory", "exported, but no allocation starts there", block.birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const PeerObject known = sim.processes().sharing().offer(index);
  *handle = make_handle<CUipcMemHandle>(known.process != 0
                                            ? name_for_peers(kMemory, known)
                                            : IpcName{kMemory, 0, 0, raw(block.birth), index});
  return CUDA_SUCCESS;
}

CUresult Calls::cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned flags) {
  if (address == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult injected = sim.processes().open_failures().next(sim.world());
      injected != CUDA_SUCCESS)
    return injected;
  std::uint32_t exported = 0;
  if (const CUresult error = find_exported(sim, handle, exported); error != CUDA_SUCCESS)
    return error;
  const ProcessId me = sim.scheduler().process();
  const bool is_foreign = sim.memory().block(exported).origin == Origin::foreign;
  if (sim.memory().block(exported).process == me && !is_foreign) return CUDA_ERROR_INVALID_CONTEXT;
  if (raw(me) >= Memory::kProcessLimit) return CUDA_ERROR_TOO_MANY_PEERS;
  bool refused = false;
  std::uint32_t index = find_mapping(sim, exported, refused);
  if (refused) return CUDA_ERROR_INVALID_CONTEXT;
  if (index == 0) {
    index = is_foreign ? sim.processes().sharing().map(exported) : sim.memory().map(exported, me);
    if (index == 0) return is_foreign ? CUDA_ERROR_MAP_FAILED : CUDA_ERROR_ALREADY_MAPPED;
    sim.memory().block(index).context = sim.threads().context();
    sim.processes().current().mappings.push_back(index);
  }
  Block& mapping = sim.memory().block(index);
  ++mapping.open_count;
  *address = mapping.base;
  return CUDA_SUCCESS;
}

CUresult Calls::cuIpcCloseMemHandle(CUdeviceptr address) {
  const std::uint32_t index = sim.memory().newest(address);
  Block& mapping = sim.memory().block(index);
  if (mapping.origin != Origin::imported || mapping.base != address ||
      mapping.process != sim.scheduler().process()) {
    sim.faults().misuse("IPC mapping", "closed, but no mapping starts there");
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (mapping.dead) {
    sim.ledger().double_free(mapping.birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (--mapping.open_count > 0) return CUDA_SUCCESS;
  sim.memory().retire(index);
  sim.processes().sharing().closed(index);
  return CUDA_SUCCESS;
}

// ---- memory of pools --------------------------------------------------------------------------

static constexpr std::uint64_t kPool = hash_name("IPC pool");
static constexpr std::uint64_t kPointer = hash_name("IPC pointer of a pool");

CUresult Calls::cuMemPoolExportToShareableHandle(void* handle, CUmemoryPool of,
                                                 CUmemAllocationHandleType type,
                                                 unsigned long long flags) {
  if (handle == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const Pool* pool = sim.find(sim.handles().pools, of, "pool");
  if (pool == nullptr || !pool->is_exportable || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_INVALID_VALUE;
  const int file = name_file(name_for_peers(kPool, {Sharing::own_number(), raw(pool->birth)}));
  if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
  *static_cast<int*>(handle) = file;
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* handle,
                                                   CUmemAllocationHandleType type,
                                                   unsigned long long flags) {
  if (pool == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return type == CU_MEM_HANDLE_TYPE_NONE ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
  const IpcName name =
      name_in_file(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)), kPool);
  if (name.birth == 0 || name.process == 0 || is_of_another_run(name))
    return CUDA_ERROR_INVALID_VALUE;
  Pool& made = sim.handles().pools.add();
  made.birth = sim.ledger().born("imported pool", made.handle, 0);
  made.set_kind(PoolKind::device);
  made.exported_by = name.process;
  *pool = made.as<CUmemoryPool>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemPoolExportPointer(CUmemPoolPtrExportData* data, CUdeviceptr address) {
  if (data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = find_block(sim, address, 1);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = sim.memory().block(index);
  if (block.origin != Origin::pool || block.pool == nullptr || !block.pool->is_exportable ||
      block.base != address)
    return CUDA_ERROR_INVALID_VALUE;
  const PeerObject known = sim.processes().sharing().offer(index);
  *data = std::bit_cast<CUmemPoolPtrExportData>(words_of(name_for_peers(kPointer, known)));
  return CUDA_SUCCESS;
}

CUresult Calls::cuMemPoolImportPointer(CUdeviceptr* address, CUmemoryPool from,
                                       CUmemPoolPtrExportData* data) {
  if (address == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Pool* pool = sim.find(sim.handles().pools, from, "pool");
  const IpcName name = name_in(std::bit_cast<IpcWords>(*data), kPointer);
  if (pool == nullptr || name.birth == 0 || is_of_another_run(name) ||
      name.process != pool->exported_by || Sharing::is_own({name.process, name.birth}))
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t exported = sim.processes().sharing().find({name.process, name.birth});
  if (exported == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = sim.processes().sharing().map(exported);
  if (index == 0) return CUDA_ERROR_MAP_FAILED;
  Block& mapping = sim.memory().block(index);
  mapping.pool = pool;
  pool->used += mapping.granules * Memory::kGranule;
  *address = mapping.base;
  return CUDA_SUCCESS;
}

// ---- events -----------------------------------------------------------------------------------

CUresult Calls::cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event_handle) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Event* event = sim.find(sim.handles().events, event_handle, "event");
  if (event == nullptr || event->exported != nullptr || (event->flags & CU_EVENT_INTERPROCESS) == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  const PeerObject known = sim.processes().sharing().offer(*event);
  *handle = make_handle<CUipcEventHandle>(
      known.process != 0
          ? name_for_peers(kEvent, known)
          : IpcName{kEvent, 0, 0, raw(event->birth), sim.handles().events.number(*event)});
  return CUDA_SUCCESS;
}

/// Finds the event that a handle names, if it still exists.
static CUresult find_exported(SimDevice& sim, const IpcName& name, Event*& exported) {
  if (name.birth == 0) return CUDA_ERROR_MAP_FAILED;
  if (name.process != 0) {
    if (is_of_another_run(name)) return CUDA_ERROR_MAP_FAILED;
    if (Sharing::is_own({name.process, name.birth})) return CUDA_ERROR_INVALID_CONTEXT;
    exported = sim.processes().sharing().find_event({name.process, name.birth});
    return exported != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  }
  if (name.place >= sim.handles().events.size()) return CUDA_ERROR_MAP_FAILED;
  exported = &sim.handles().events[name.place];
  if (raw(exported->birth) != name.birth || !exported->alive) return CUDA_ERROR_INVALID_HANDLE;
  return exported->process != sim.scheduler().process() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult Calls::cuIpcOpenEventHandle(CUevent* opened, CUipcEventHandle handle) {
  if (opened == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Event* found = nullptr;
  if (const CUresult error = find_exported(sim, read_handle(handle, kEvent), found);
      error != CUDA_SUCCESS)
    return error;
  Event& exported = *found;
  Event& event = sim.handles().events.add();
  event.context = sim.threads().context();
  event.flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  event.exported = &exported;
  event.birth = sim.ledger().born("IPC event", event.handle, 0);
  *opened = event.as<CUevent>();
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace harness::devices
