// Exporting, opening and closing. Which process calls is a matter of the running task; see
// ProcessScope in harness/scheduler.h.
#include <algorithm>
#include <array>
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

namespace calls {
namespace {

constexpr std::uint64_t kMemory = hash_name("IPC memory");
constexpr std::uint64_t kEvent = hash_name("IPC event");

/// The words of a handle: what it names, mixed differently into each after the first.
using Words = std::array<std::uint64_t, CU_IPC_HANDLE_SIZE / 8>;

Words words_of(const IpcName& name) {
  Words words{std::uint64_t{name.birth} << 32 | name.place, name.run, name.process};
  const std::uint64_t all = mix(mix(words[0], name.run), name.process);
  for (std::size_t i = 3; i < words.size(); ++i) words[i] = mix(name.kind + i, all);
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
  const IpcName name{kind, words[1], static_cast<std::uint32_t>(words[2]),
                     static_cast<std::uint32_t>(words[0] >> 32),
                     static_cast<std::uint32_t>(words[0])};
  return words == words_of(name) ? name : IpcName{};
}

/// Returns the name of an object in a handle that other processes of the run may open.
IpcName name_for_peers(std::uint64_t kind, PeerObject object) {
  return {kind, Sharing::run(), object.process, object.index, 0};
}

/// Returns whether a handle comes from another run, whose objects are no more.
bool is_of_another_run(const IpcName& name) {
  return name.process != 0 && name.run != Sharing::run();
}

// ---- memory -----------------------------------------------------------------------------------

/// Finds the block that `handle` names of another process of the run.
CUresult find_foreign(SimDevice& sim, const IpcName& name, std::uint32_t& exported) {
  if (is_of_another_run(name)) return CUDA_ERROR_INVALID_VALUE;
  if (Sharing::is_own({name.process, name.birth})) return CUDA_ERROR_INVALID_CONTEXT;
  exported = sim.processes().sharing().find({name.process, name.birth});
  return exported != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/// Finds the exported block that `handle` names, while it lives.
CUresult find_exported(SimDevice& sim, const CUipcMemHandle& handle, std::uint32_t& exported) {
  const IpcName name = read_handle(handle, kMemory);
  if (name.birth == 0 || name.place >= sim.memory().block_count()) return CUDA_ERROR_INVALID_VALUE;
  if (name.process != 0) return find_foreign(sim, name, exported);
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
  const PeerObject known = sim.processes().sharing().offer(index);
  *handle = make_handle<CUipcMemHandle>(known.process != 0
                                            ? name_for_peers(kMemory, known)
                                            : IpcName{kMemory, 0, 0, raw(block.birth), index});
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

/// Finds the event that a handle names, while it lives.
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
