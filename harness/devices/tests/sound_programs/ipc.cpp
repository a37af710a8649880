// SPDX-License-Identifier: Apache-2.0
// Inter-process communication: this process exports, another one opens, uses and closes.
#include "harness/devices/tests/sound_programs/steps.h"

namespace harness::testing::sound {

namespace {

constexpr unsigned kLazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
constexpr unsigned kShared = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;

/// Later calls belong to the other process, which has its own stream in its primary context and
/// keeps it.
class Importer {
 public:
  Importer() : scope_(World::current()->scheduler, ProcessId{1}) {
    CUcontext context = nullptr;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxPushCurrent_v2(context);
    cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING);
  }
  ~Importer() {
    cuStreamDestroy_v2(stream_);
    cuCtxPopCurrent_v2(nullptr);
  }
  Importer(const Importer&) = delete;
  Importer& operator=(const Importer&) = delete;

  CUstream stream() const { return stream_; }

 private:
  CUstream stream_ = nullptr;
  ProcessScope scope_;
};

struct Mapping {
  CUdeviceptr address = 0;
  State state = State::mapping_none;
};

void open(Program& p, Mapping& mapping, const CUipcMemHandle& handle, unsigned flags = kLazy) {
  cuIpcOpenMemHandle_v2(&mapping.address, handle, flags);
  p.move(mapping.state, Via::opened);
}

void close(Program& p, Mapping& mapping) {
  cuIpcCloseMemHandle(mapping.address);
  p.move(mapping.state, Via::closed);
}

CUipcMemHandle export_memory(CUdeviceptr address) {
  CUipcMemHandle handle{};
  cuIpcGetMemHandle(&handle, address);
  return handle;
}

}  // namespace

/// The host of one process waits before it tells the other.
static void memory_by_turns(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  const CUipcMemHandle handle = export_memory(memory.address);
  p.set(0, p.memory.use(0, memory));
  if (p.keep(Rule::processes_are_ordered)) p.wait(0);
  Mapping mapping;
  {
    const Importer importer;
    open(p, mapping, handle, p.keep(Rule::open_flags_are_lazy) ? kLazy : 0);
    const bool mine = p.keep(Rule::addresses_are_the_process_own);
    cuMemsetD32Async(mine ? mapping.address : memory.address, 2, 4, importer.stream());
    p.move(mapping.state, Via::used);
    cuStreamSynchronize(importer.stream());
    if (p.coin()) {
      open(p, mapping, handle);
      close(p, mapping);
    }
    close(p, mapping);
    if (!p.keep(Rule::mappings_are_used_before_their_close))
      cuMemsetD32Async(mapping.address, 2, 4, importer.stream());
    if (!p.keep(Rule::mappings_are_closed_as_often)) cuIpcCloseMemHandle(mapping.address);
    if (p.coin() && !p.dropped()) {
      open(p, mapping, handle);
      close(p, mapping);
    }
  }
  p.memory.leave(memory);
}

static void memory_outlives_its_mappings(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  const CUipcMemHandle handle = export_memory(memory.address);
  const bool outlives = p.keep(Rule::exported_memory_outlives_its_mappings);
  Mapping mapping;
  {
    const Importer importer;
    open(p, mapping, handle);
    if (outlives) close(p, mapping);
  }
  p.memory.free(memory);
}

/// An event that both have puts their work in order.
static void event_of_two(Program& p) {
  Memory memory = p.memory.make(Kind::plain, 0);
  const CUipcMemHandle memory_handle = export_memory(memory.address);
  Event event = p.events.make(
      p.keep(Rule::shared_events_are_interprocess) ? kShared : CU_EVENT_DISABLE_TIMING);
  CUipcEventHandle event_handle{};
  cuIpcGetEventHandle(&event_handle, event.handle);
  p.move(event.state, Via::exported);
  p.set(0, p.memory.use(0, memory));
  p.events.record(event, 0);
  {
    const Importer importer;
    Mapping mapping;
    Event opened;
    cuIpcOpenEventHandle(&opened.handle, event_handle);
    p.move(opened.state, Via::opened);
    if (p.keep(Rule::shared_events_are_waited_for)) {
      cuStreamWaitEvent(importer.stream(), opened.handle, CU_EVENT_WAIT_DEFAULT);
      p.move(opened.state, Via::stream_waits);
    }
    open(p, mapping, memory_handle);
    cuMemsetD32Async(mapping.address, 2, 4, importer.stream());
    p.move(mapping.state, Via::used);
    cuEventRecord(opened.handle, importer.stream());
    p.move(opened.state, Via::recorded);
    cuStreamSynchronize(importer.stream());
    close(p, mapping);
    cuEventDestroy_v2(opened.handle);
    p.move(opened.state, Via::destroyed);
  }
  p.set(1, p.memory.use(1, memory));
  cuEventSynchronize(event.handle);
  p.move(event.state, Via::waited_for);
  p.events.destroy(event);
  p.memory.leave(memory);
}

static void event_outlives_the_opened_one(Program& p) {
  Event event = p.events.make(kShared);
  CUipcEventHandle handle{};
  cuIpcGetEventHandle(&handle, event.handle);
  p.move(event.state, Via::exported);
  const bool outlives = p.keep(Rule::exported_events_outlive_the_opened);
  Event opened;
  {
    const Importer importer;
    cuIpcOpenEventHandle(&opened.handle, handle);
    p.move(opened.state, Via::opened);
    if (outlives) cuEventDestroy_v2(opened.handle);
  }
  p.events.destroy(event);
  if (outlives) return p.move(opened.state, Via::destroyed);
  const ProcessScope scope(World::current()->scheduler, ProcessId{1});
  cuEventQuery(opened.handle);
}

static void handles(Program& p) {
  const bool alone = p.keep(Rule::exported_memory_is_cuMemAllocs);
  Memory memory = p.memory.make(alone ? Kind::plain : Kind::managed, 0);
  const bool start = p.keep(Rule::memory_is_exported_from_its_start);
  const CUipcMemHandle handle = export_memory(memory.address + (start ? 0 : 16));
  Mapping mapping;
  if (!p.keep(Rule::memory_is_opened_in_another_process)) open(p, mapping, handle);
  CUdeviceptr address = 0;
  if (!p.keep(Rule::opened_handles_were_exported)) {
    const Importer importer;
    cuIpcOpenMemHandle_v2(&address, {}, kLazy);
  }
  if (!p.keep(Rule::only_mappings_are_closed)) cuIpcCloseMemHandle(memory.address);
  p.memory.leave(memory);
}

Steps ipc_steps() {
  static constexpr Program::Step kSteps[] = {memory_by_turns, memory_outlives_its_mappings,
                                             event_of_two, event_outlives_the_opened_one, handles};
  return kSteps;
}

}  // namespace harness::testing::sound
