// SPDX-License-Identifier: Apache-2.0
// Streams, events and host functions.
#include <algorithm>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"
#include "harness/devices/sim/memory/ipc.h"

namespace harness::devices::calls {

static constexpr int kLeastPriority = 0;
static constexpr int kGreatestPriority = -5;

static BirthId birth_of(const Object* dead) {
  return dead != nullptr ? dead->birth : BirthId::none;
}

// ---- streams ----------------------------------------------------------------------------------

CUresult Calls::cuStreamCreate(CUstream* created, unsigned flags) {
  if (created == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const Stream* dead = sim.handles().freed_streams.pick(sim.world());
  Stream& stream = sim.streams().add(*sim.threads().context(), "stream", dead);
  stream.birth = sim.ledger().born("stream", stream.handle, 0, birth_of(dead));
  stream.own_name = stream.resource = sim.ledger().life(stream.birth).name;
  stream.flags = flags;
  stream.blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
  *created = stream.as<CUstream>();
  return CUDA_SUCCESS;
}

/// A priority is stored, but has no effect, since the order of work is a choice anyway.
CUresult Calls::cuStreamCreateWithPriority(CUstream* created, unsigned flags, int priority) {
  const CUresult status = cuStreamCreate(created, flags);
  if (status == CUDA_SUCCESS)
    sim.handles().streams.find(*created)->priority =
        std::clamp(priority, kGreatestPriority, kLeastPriority);
  return status;
}

CUresult Calls::cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamDestroy_v2(CUstream handle) {
  Stream* stream = sim.handles().streams.find(handle);
  if (stream == nullptr || stream->birth == BirthId::none) return CUDA_ERROR_INVALID_HANDLE;
  if (!stream->alive) {
    sim.ledger().double_free(stream->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  sim.captures().lose(*stream);
  stream->alive = false;  // Queued work will still be done.
  sim.ledger().died(stream->birth);
  sim.handles().freed_streams.end(sim.ledger(), *stream);
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamSynchronize(CUstream on) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  sim.queues().synchronize(*stream);
  sim.graphs().user_objects().wait_a_while();
  sim.pools().shrink();
  return sim.faults().broken();
}

/// Notes that the program polls, and returns "not ready".
static CUresult not_ready(SimDevice& sim) {
  sim.queues().was_polled();
  return CUDA_ERROR_NOT_READY;
}

CUresult Calls::cuStreamQuery(CUstream on) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (!sim.queues().idle(*stream)) return not_ready(sim);
  sim.queues().synchronize(*stream);  // This does not wait, but orders what follows.
  return sim.faults().broken();
}

CUresult Calls::cuStreamGetFlags(CUstream on, unsigned* flags) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamGetPriority(CUstream on, int* priority) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (priority == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamGetId(CUstream on, unsigned long long* id) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *id = stream->id;
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamGetDevice(CUstream on, CUdevice* device) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamGetCtx(CUstream on, CUcontext* context) {
  const Found<Stream> stream = find_stream(sim, on);
  if (!stream) return stream.error();
  if (context == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *context = stream->context->as<CUcontext>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamGetCtx_v2(CUstream on, CUcontext* context, CUgreenCtx* green) {
  if (green != nullptr) *green = nullptr;
  return cuStreamGetCtx(on, context);
}

/// In a run of tasks, the scheduler decides when the task that calls functions continues.
static Lag lag_of_function(SimDevice& sim) {
  return ProcessWorld::of(sim.world()) != nullptr ? Lag::ask : Lag::never;
}

static void give_data(SimDevice& sim, Work& work, void* data) {
  work.data = data;
  work.lent = sim.host_memory().lent().lend(LentFor::host_function,
                                            reinterpret_cast<std::uint64_t>(data), 1);
}

CUresult Calls::cuLaunchHostFunc(CUstream on, CUhostFn function, void* data) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture != nullptr) {
    const Found<const NodeParams> made = make_host_params(sim, {function, data});
    return made ? sim.captures().add(*stream, *made) : made.error();
  }
  Work& work = sim.queues().fresh(WorkKind::function, "host function");
  work.function = function;
  give_data(sim, work, data);
  sim.queues().submit(*stream, work, lag_of_function(sim));
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamAddCallback(CUstream on, CUstreamCallback callback, void* data,
                                    unsigned flags) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  Work& work = sim.queues().fresh(WorkKind::function, "stream callback");
  work.callback = callback;
  work.stream = on;
  give_data(sim, work, data);
  sim.queues().submit(*stream, work, lag_of_function(sim));
  return CUDA_SUCCESS;
}

/// The device reports concurrent access to managed memory. Attaching memory to a stream then has no
/// visible effect.
CUresult Calls::cuStreamAttachMemAsync(CUstream on, CUdeviceptr address, size_t bytes,
                                       unsigned flags) {
  const Found<Stream> stream = find_uncaptured_stream(sim, on);
  if (!stream) return stream.error();
  const bool single = flags == CU_MEM_ATTACH_SINGLE;
  if (!single && flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  if (single && stream->legacy) return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t index = find_block(sim, address, 1);
  if (index == 0) return CUDA_ERROR_INVALID_VALUE;
  const Block& block = sim.memory().block(index);
  if (block.origin != Origin::managed || (bytes != 0 && bytes != block.bytes))
    return CUDA_ERROR_INVALID_VALUE;
  sim.queues().submit(*stream, sim.queues().fresh(WorkKind::wait, "attach"), Lag::never);
  return CUDA_SUCCESS;
}

// ---- events -----------------------------------------------------------------------------------

/// Returns the index of the running call in the history. A process has no history: a call is
/// identified by the lower half of its name.
static std::uint32_t last_noted(SimDevice& sim) {
  const Records<harness::Event>& events = sim.world().history.events();
  if (events.empty()) return 0;
  if (ProcessWorld::of(sim.world()) != nullptr)
    return static_cast<std::uint32_t>(events.back().activation);
  return static_cast<std::uint32_t>(events.size() - 1);
}

/// Records a wait for an event, for reports. In a process, this includes waits for events that were
/// never recorded, or without success, which order nothing.
static void note_wait(SimDevice& sim, const Event& event) {
  if (event.point.stream == nullptr && ProcessWorld::of(sim.world()) == nullptr) return;
  sim.world().history.add(Ordering{event.noted, last_noted(sim)});
}

/// Notes that the call `noted` records the event. In a process, also notes which record it
/// replaces, or would replace without an error.
static void note_record(SimDevice& sim, Event& event, std::uint32_t noted) {
  if (event.noted != 0 && ProcessWorld::of(sim.world()) != nullptr)
    sim.world().history.add(Ordering{event.noted, noted});
  event.noted = noted;
}

CUresult Calls::cuEventCreate(CUevent* created, unsigned flags) {
  constexpr unsigned kFlags =
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  const bool shared = (flags & CU_EVENT_INTERPROCESS) != 0;
  if (created == nullptr || (flags & ~kFlags) != 0 ||
      (shared && (flags & CU_EVENT_DISABLE_TIMING) == 0))
    return CUDA_ERROR_INVALID_VALUE;
  const Event* dead = sim.handles().freed_events.pick(sim.world());
  Event& event = sim.handles().events.add(dead);
  event.context = sim.threads().context();
  event.flags = flags;
  event.birth = sim.ledger().born("event", event.handle, 0, birth_of(dead));
  *created = event.as<CUevent>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuEventDestroy_v2(CUevent handle) {
  Event* event = sim.handles().events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!event->alive) {
    sim.ledger().double_free(event->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  event->alive = false;  // Records and waits that were submitted stay valid.
  sim.ledger().died(event->birth);
  if (event->peer.process != 0)
    sim.processes().sharing().ended(*event);
  else
    sim.handles().freed_events.end(sim.ledger(), *event);
  return CUDA_SUCCESS;
}

/// Adds an event node. An ordinary record or wait would only order the nodes around it.
static CUresult capture_event(SimDevice& sim, Stream& stream, CUgraphNodeType type, CUevent event) {
  const Found<const NodeParams> made = make_event_params(sim, type, event);
  return made ? sim.captures().add(stream, *made) : made.error();
}

CUresult Calls::cuEventRecordWithFlags(CUevent handle, CUstream on, unsigned flags) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  const bool external = flags == CU_EVENT_RECORD_EXTERNAL;
  if (flags != CU_EVENT_RECORD_DEFAULT && !external) return CUDA_ERROR_INVALID_VALUE;
  if (external && stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  const std::uint32_t noted = last_noted(sim);
  Event* event = sim.find(sim.handles().events, handle, "event");
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (event->context != stream->context) {
    if (ProcessWorld::of(sim.world()) != nullptr) note_record(sim, *event, noted);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  event = recorded_event(sim, event);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (external)
    return capture_event(sim, *stream, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event->as<CUevent>());
  if (stream->capture != nullptr) {
    sim.captures().record(*stream, *event);
    return CUDA_SUCCESS;
  }
  event->capture = nullptr;
  note_record(sim, *event, noted);
  Work& work = sim.queues().fresh(WorkKind::record, "record");
  work.event = event;
  work.event_record = ++event->record_count;
  event->point = {&*stream, stream->submitted + 1};
  sim.queues().submit(*stream, work, Lag::never);
  event->clock = stream->clock;
  if (event->peer.process != 0) [[unlikely]]
    sim.processes().sharing().recorded(*event);
  return CUDA_SUCCESS;
}

CUresult Calls::cuEventRecord(CUevent event, CUstream on) {
  return cuEventRecordWithFlags(event, on, CU_EVENT_RECORD_DEFAULT);
}

CUresult Calls::cuEventQuery(CUevent handle) {
  const Event* event = recorded_event(sim, sim.find(sim.handles().events, handle, "event"));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult error = sim.captures().admit(*event); error != CUDA_SUCCESS) return error;
  if (!done(event->point)) return not_ready(sim);
  sim.queues().wait(event->point);  // This does not wait, but orders what follows.
  sim.data_races().host_saw(event->clock);
  return sim.faults().broken();
}

CUresult Calls::cuEventSynchronize(CUevent handle) {
  const Event* event = recorded_event(sim, sim.find(sim.handles().events, handle, "event"));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (const CUresult error = sim.captures().admit(*event); error != CUDA_SUCCESS) return error;
  note_wait(sim, *event);
  const StreamPoint point = event->point;  // A later record does not extend the wait.
  Clock& known = sim.data_races().remember(event->clock);
  sim.queues().wait(point);
  sim.data_races().tell_host(known);
  sim.graphs().user_objects().wait_a_while();
  sim.pools().shrink();
  return sim.faults().broken();
}

CUresult Calls::cuEventElapsedTime_v2(float* milliseconds, CUevent start_handle,
                                      CUevent end_handle) {
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Event* start = sim.find(sim.handles().events, start_handle, "event");
  const Event* end = sim.find(sim.handles().events, end_handle, "event");
  if (start == nullptr || end == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (start->capture != nullptr || end->capture != nullptr) return CUDA_ERROR_CAPTURED_EVENT;
  if (start->record_count == 0 || end->record_count == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!done(start->point) || !done(end->point)) return CUDA_ERROR_NOT_READY;
  constexpr double kMillisecond = 1e6;
  *milliseconds = static_cast<float>(
      (static_cast<double>(end->time) - static_cast<double>(start->time)) / kMillisecond);
  return CUDA_SUCCESS;
}

CUresult Calls::cuStreamWaitEvent(CUstream on, CUevent handle, unsigned flags) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  const bool external = flags == CU_EVENT_WAIT_EXTERNAL;
  if (flags != CU_EVENT_WAIT_DEFAULT && !external) return CUDA_ERROR_INVALID_VALUE;
  if (external && stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  const Event* event = recorded_event(sim, sim.find(sim.handles().events, handle, "event"));
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (external) return capture_event(sim, *stream, CU_GRAPH_NODE_TYPE_WAIT_EVENT, handle);
  if (stream->capture != nullptr || event->capture != nullptr)
    return sim.captures().wait(*stream, *event);
  note_wait(sim, *event);
  if (event->point.stream == nullptr) return CUDA_SUCCESS;
  stream->clock.join(event->clock);
  Work& work = sim.queues().fresh(WorkKind::wait, "wait");
  work.after.push_back(event->point);
  sim.queues().submit(*stream, work, Lag::never);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
