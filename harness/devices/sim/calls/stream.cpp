// Streams, events and host functions.
#include <algorithm>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"
#include "harness/devices/sim/memory/ipc.h"

namespace harness::devices::calls {

static constexpr int kLeastPriority = 0;
static constexpr int kGreatestPriority = -5;

// ---- streams ----------------------------------------------------------------------------------

CUresult cuStreamCreate(CUstream* created, unsigned flags) {
  SimDevice& sim = SimDevice::current();
  if (created == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  Stream& stream = sim.add_stream(*sim.current_context(), "stream");
  stream.birth = sim.ledger().born("stream", stream.handle, 0);
  stream.own_name = stream.resource = sim.ledger().life(stream.birth).name;
  stream.flags = flags;
  stream.blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
  *created = stream.as<CUstream>();
  return CUDA_SUCCESS;
}

/// A priority is a hint about order, and order is a pick; it is only remembered.
CUresult cuStreamCreateWithPriority(CUstream* created, unsigned flags, int priority) {
  const CUresult status = calls::cuStreamCreate(created, flags);
  if (status == CUDA_SUCCESS)
    SimDevice::current().streams.find(*created)->priority =
        std::clamp(priority, kGreatestPriority, kLeastPriority);
  return status;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream handle) {
  SimDevice& sim = SimDevice::current();
  Stream* stream = sim.streams.find(handle);
  if (stream == nullptr || stream->birth == BirthId::none) return CUDA_ERROR_INVALID_HANDLE;
  if (!stream->alive) {
    sim.ledger().double_free(stream->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  sim.captures.lose(*stream);
  stream->alive = false;  // What is queued is still done.
  sim.ledger().died(stream->birth);
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream on) {
  SimDevice& sim = SimDevice::current();
  SIM_UNCAPTURED_STREAM(stream, on);
  SIM_UNSAFE(admit_unsafe());
  sim.synchronize(*stream);
  sim.shrink_pools();
  return sim.broken;
}

CUresult cuStreamQuery(CUstream on) {
  SimDevice& sim = SimDevice::current();
  SIM_UNCAPTURED_STREAM(stream, on);
  SIM_UNSAFE(admit_unsafe());
  if (!sim.idle(*stream)) return CUDA_ERROR_NOT_READY;
  sim.synchronize(*stream);  // Which waits for nothing, but orders what follows.
  return sim.broken;
}

CUresult cuStreamGetFlags(CUstream on, unsigned* flags) {
  SIM_STREAM(stream, on);
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream on, int* priority) {
  SIM_STREAM(stream, on);
  if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream on, unsigned long long* id) {
  SIM_STREAM(stream, on);
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *id = stream->id;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetDevice(CUstream on, CUdevice* device) {
  SIM_STREAM(stream, on);
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream on, CUcontext* context) {
  SIM_STREAM(stream, on);
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = stream->context->as<CUcontext>();
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream on, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return calls::cuStreamGetCtx(on, context);
}

CUresult cuLaunchHostFunc(CUstream on, CUhostFn function, void* data) {
  SimDevice& sim = SimDevice::current();
  SIM_WORK_STREAM(stream, on);
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture != nullptr) {
    const NodeParams* made = nullptr;
    const CUresult status = make_host_params(sim, {function, data}, made);
    return status == CUDA_SUCCESS ? sim.captures.add(*stream, *made) : status;
  }
  Work& work = sim.fresh_work(WorkKind::function, "host function");
  work.function = function;
  work.data = data;
  sim.submit(*stream, work, Lag::never);
  return CUDA_SUCCESS;
}

CUresult cuStreamAddCallback(CUstream on, CUstreamCallback callback, void* data, unsigned flags) {
  SimDevice& sim = SimDevice::current();
  SIM_UNCAPTURED_STREAM(stream, on);
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Work& work = sim.fresh_work(WorkKind::function, "stream callback");
  work.callback = callback;
  work.stream = on;
  work.data = data;
  sim.submit(*stream, work, Lag::never);
  return CUDA_SUCCESS;
}

/// The device says that it has concurrent access to managed memory: an association with a stream
/// then changes nothing that a program could see.
CUresult cuStreamAttachMemAsync(CUstream on, CUdeviceptr address, size_t bytes, unsigned flags) {
  SimDevice& sim = SimDevice::current();
  SIM_UNCAPTURED_STREAM(stream, on);
  const bool single = flags == CU_MEM_ATTACH_SINGLE;
  if (!single && flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  if (single && stream->legacy) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = find_block(sim, address, 1);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = sim.memory.block(index);
  if (block.origin != Origin::managed || (bytes != 0 && bytes != block.bytes))
    return CUDA_ERROR_INVALID_VALUE;
  sim.submit(*stream, sim.fresh_work(WorkKind::wait, "attach"), Lag::never);
  return CUDA_SUCCESS;
}

// ---- events -----------------------------------------------------------------------------------

CUresult cuEventCreate(CUevent* created, unsigned flags) {
  SimDevice& sim = SimDevice::current();
  constexpr unsigned kFlags =
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
  if (created == nullptr || (flags & ~kFlags) != 0 ||
      (shared && (flags & CU_EVENT_DISABLE_TIMING) == 0))
    return CUDA_ERROR_INVALID_VALUE;
  Event& event = sim.events.add();
  event.context = sim.current_context();
  event.flags = flags;
  event.birth = sim.ledger().born("event", event.handle, 0);
  *created = event.as<CUevent>();
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent handle) {
  SimDevice& sim = SimDevice::current();
  Event* event = sim.events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!event->alive) {
    sim.ledger().double_free(event->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  event->alive = false;  // A record or wait that was submitted keeps its meaning.
  sim.ledger().died(event->birth);
  return CUDA_SUCCESS;
}

/// A node of its own, where a record or wait would only order the nodes around it.
static CUresult capture_event(SimDevice& sim, Stream& stream, CUgraphNodeType type, CUevent event) {
  const NodeParams* made = nullptr;
  const CUresult status = make_event_params(sim, type, event, made);
  return status == CUDA_SUCCESS ? sim.captures.add(stream, *made) : status;
}

CUresult cuEventRecordWithFlags(CUevent handle, CUstream on, unsigned flags) {
  SimDevice& sim = SimDevice::current();
  SIM_WORK_STREAM(stream, on);
  const bool external = flags == CU_EVENT_RECORD_EXTERNAL;
  if (flags != CU_EVENT_RECORD_DEFAULT && (!external || stream->capture == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t noted = sim.last_noted();
  Event* event = sim.find(sim.events, handle, "event");
  if (event == nullptr || event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
  event = recorded_event(sim, event);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (external)
    return capture_event(sim, *stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event->as<CUevent>());
  if (stream->capture != nullptr) {
    sim.captures.record(*stream, *event);
    return CUDA_SUCCESS;
  }
  event->capture = nullptr;
  event->noted = noted;
  Work& work = sim.fresh_work(WorkKind::record, "record");
  work.event = event;
  work.event_record = ++event->record_count;
  event->point = {stream, stream->submitted + 1};
  sim.submit(*stream, work, Lag::never);
  event->clock = stream->clock;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream on) {
  return calls::cuEventRecordWithFlags(event, on, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventQuery(CUevent handle) {
  SimDevice& sim = SimDevice::current();
  const Event* event = recorded_event(sim, sim.find(sim.events, handle, "event"));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  SIM_UNSAFE(admit(*event));
  if (!done(event->point)) return CUDA_ERROR_NOT_READY;
  sim.wait(event->point);  // Which waits for nothing, but orders what follows.
  sim.order->host_saw(event->clock);
  return sim.broken;
}

CUresult cuEventSynchronize(CUevent handle) {
  SimDevice& sim = SimDevice::current();
  const Event* event = recorded_event(sim, sim.find(sim.events, handle, "event"));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  SIM_UNSAFE(admit(*event));
  if (event->point.stream != nullptr)
    sim.world->history.add(Ordering{event->noted, sim.last_noted()});
  const StreamPoint point = event->point;  // A later record does not prolong the wait.
  Clock& known = sim.order->remember(event->clock);
  sim.wait(point);
  sim.order->tell_host(known);
  sim.shrink_pools();
  return sim.broken;
}

/// One tick is a microsecond: time is made of turns, so that it is the same in every replay.
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  SimDevice& sim = SimDevice::current();
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Event* start = sim.find(sim.events, start_handle, "event");
  const Event* end = sim.find(sim.events, end_handle, "event");
  if (start == nullptr || end == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (start->capture != nullptr || end->capture != nullptr) return CUDA_ERROR_CAPTURED_EVENT;
  if (start->record_count == 0 || end->record_count == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!done(start->point) || !done(end->point)) return CUDA_ERROR_NOT_READY;
  *milliseconds = (static_cast<float>(end->time) - static_cast<float>(start->time)) * 1e-3F;
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream on, CUevent handle, unsigned flags) {
  SimDevice& sim = SimDevice::current();
  SIM_WORK_STREAM(stream, on);
  const bool external = flags == CU_EVENT_WAIT_EXTERNAL;
  if (flags != CU_EVENT_WAIT_DEFAULT && (!external || stream->capture == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  const Event* event = recorded_event(sim, sim.find(sim.events, handle, "event"));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (external) return capture_event(sim, *stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT, handle);
  if (stream->capture != nullptr || event->capture != nullptr)
    return sim.captures.wait(*stream, *event);
  if (event->point.stream == nullptr) return CUDA_SUCCESS;
  sim.world->history.add(Ordering{event->noted, sim.last_noted()});
  stream->clock.join(event->clock);
  Work& work = sim.fresh_work(WorkKind::wait, "wait");
  work.after.push_back(event->point);
  sim.submit(*stream, work, Lag::never);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
