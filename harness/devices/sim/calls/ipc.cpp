// Exporting, opening and closing. Which process calls is a matter of the running task; see
// ProcessScope in harness/scheduler.h.
#include <algorithm>
#include <array>
#include <bit>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/memory/ipc.h"

namespace harness::devices {

Event* recorded_event(SimDevice& sim, Event* event) {
  if (event == nullptr || event->exported == nullptr) [[likely]]
    return event;
  if (event->exported->alive || sim.faults().spared(event->exported->birth)) return event->exported;
  sim.faults().used_dead(event->exported->birth);
  return nullptr;
}

namespace calls {
namespace {

constexpr std::uint64_t kMemory = hash_name("IPC memory");
constexpr std::uint64_t kEvent = hash_name("IPC event");

/// The words of a handle: what it names, mixed differently into each after the first.
using Words = std::array<std::uint64_t, CU_IPC_HANDLE_SIZE / 8>;

Words words_of(const IpcName& name) {
  Words words{std::uint64_t{name.birth} << 32 | name.place};
  for (std::size_t i = 1; i < words.size(); ++i) words[i] = mix(name.kind + i, words[0]);
  return words;
}

template <class Handle>
Handle make_handle(const IpcName& name) {
  return std::bit_cast<Handle>(words_of(name));
}

/// Returns the name in `handle`; nothing alive has birth 0, which stands for no handle of this
/// kind.
template <class Handle>
IpcName read_handle(const Handle& handle, std::uint64_t kind) {
  const auto words = std::bit_cast<Words>(handle);
  const IpcName name{kind, static_cast<std::uint32_t>(words[0] >> 32),
                     static_cast<std::uint32_t>(words[0])};
  return words == words_of(name) ? name : IpcName{};
}

// ---- memory -----------------------------------------------------------------------------------

/// Finds the exported block that `handle` names, while it lives.
CUresult find_exported(SimDevice& sim, const CUipcMemHandle& handle, std::uint32_t& exported) {
  const IpcName name = read_handle(handle, kMemory);
  if (name.birth == 0 || name.place >= sim.memory().block_count()) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = sim.memory().block(name.place);
  if (raw(block.birth) != name.birth || block.freed) return CUDA_ERROR_INVALID_HANDLE;
  exported = name.place;
  return CUDA_SUCCESS;
}

/// The mapping of `exported` that this process has open; 0 for none. `refused` when another context
/// of the process has something of the exporting process open.
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
  *handle = make_handle<CUipcMemHandle>({kMemory, raw(block.birth), index});
  return CUDA_SUCCESS;
}

CUresult Calls::cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned flags) {
  if (address == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult told = sim.processes().open_failures().next(sim.world()); told != CUDA_SUCCESS)
    return told;
  std::uint32_t exported = 0;
  if (const CUresult error = find_exported(sim, handle, exported); error != CUDA_SUCCESS)
    return error;
  const ProcessId me = sim.scheduler().process();
  if (sim.memory().block(exported).process == me) return CUDA_ERROR_INVALID_CONTEXT;
  if (raw(me) >= Memory::kProcessLimit) return CUDA_ERROR_TOO_MANY_PEERS;
  bool refused = false;
  std::uint32_t index = find_mapping(sim, exported, refused);
  if (refused) return CUDA_ERROR_INVALID_CONTEXT;
  if (index == 0) {
    index = sim.memory().map(exported, me);
    if (index == 0) return CUDA_ERROR_ALREADY_MAPPED;
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
  if (--mapping.open_count == 0) sim.memory().retire(index);
  return CUDA_SUCCESS;
}

// ---- events -----------------------------------------------------------------------------------

CUresult Calls::cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event_handle) {
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Event* event = sim.find(sim.handles().events, event_handle, "event");
  if (event == nullptr || event->exported != nullptr || (event->flags & CU_EVENT_INTERPROCESS) == 0)
    return CUDA_ERROR_INVALID_HANDLE;
  *handle = make_handle<CUipcEventHandle>(
      {kEvent, raw(event->birth), sim.handles().events.number(*event)});
  return CUDA_SUCCESS;
}

CUresult Calls::cuIpcOpenEventHandle(CUevent* opened, CUipcEventHandle handle) {
  if (opened == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const IpcName name = read_handle(handle, kEvent);
  if (name.birth == 0 || name.place >= sim.handles().events.size()) return CUDA_ERROR_MAP_FAILED;
  Event& exported = sim.handles().events[name.place];
  if (raw(exported.birth) != name.birth || !exported.alive) return CUDA_ERROR_INVALID_HANDLE;
  if (exported.process == sim.scheduler().process()) return CUDA_ERROR_INVALID_CONTEXT;
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
