// What a node of a graph does when its turn has come, as work of the stream that the graph was
// launched into.
#include "harness/devices/sim/sim_device.h"
#include "harness/sanitizers.h"

namespace harness::devices {

// ---- the launch as a whole --------------------------------------------------------------------

/// Takes one node one step further. Returns true when none is left.
bool SimDevice::step_graph(Stream& stream, Work& work) {
  GraphRun& run = *work.run;
  while (run.pass(stream)) {
  }
  if (run.can_step()) run.step(stream);
  while (run.pass(stream)) {
  }
  return run.done();
}

/// Passes over what takes no time. Returns true if something changed.
bool SimDevice::pass_graph(Stream& stream, Work& work) {
  if (!work.started) start(stream, work);
  if (work.run->pass(stream)) return true;
  if (!work.run->done()) return false;
  complete_front(stream);
  return true;
}

// ---- nodes ------------------------------------------------------------------------------------

static void fill_kernel(Work& work, const NodeParams& params) {
  const CUDA_KERNEL_NODE_PARAMS& given = params.kernel;
  Launch& launch = work.launch;
  work.module = params.function->module;
  launch.prepare(*params.function->entry, params.values.data());
  launch.grid = {given.gridDimX, given.gridDimY, given.gridDimZ};
  launch.block = {given.blockDimX, given.blockDimY, given.blockDimZ};
  launch.shared_bytes = given.sharedMemBytes;
  launch.captured_site = params.site;
}

static void fill_copy(Work& work, const NodeParams& params) {
  const CUDA_MEMCPY3D& given = params.copy;
  work.target = params.target;
  work.source = params.source;
  work.bytes = given.WidthInBytes;
  work.rows = {given.Height,   given.Depth,
               given.dstPitch, given.dstPitch * given.dstHeight,
               given.srcPitch, given.srcPitch * given.srcHeight};
}

static void fill_set(Work& work, const NodeParams& params) {
  const CUDA_MEMSET_NODE_PARAMS& given = params.set;
  work.target = params.target;
  work.source = {};
  work.bytes = given.width * given.elementSize;
  work.rows.height = given.height;
  work.rows.target_pitch = given.pitch;
  work.value = given.value;
  work.width = given.elementSize;
}

Work& SimDevice::make_work(const NodeParams& params) {
  const WorkKind kind = params.type == CU_GRAPH_NODE_TYPE_KERNEL         ? WorkKind::kernel
                        : params.type == CU_GRAPH_NODE_TYPE_MEMCPY       ? WorkKind::copy
                        : params.type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP ? WorkKind::memory_ops
                                                                         : WorkKind::set;
  Work& work = fresh_work(kind, params.label);
  work.captured_site = params.site;
  if (kind == WorkKind::kernel) {
    fill_kernel(work, params);
    provenance->authorise(work.launch, params.words);
  } else if (kind == WorkKind::copy) {
    fill_copy(work, params);
  } else if (kind == WorkKind::memory_ops) {
    work.memory_ops = params.memory_ops;
  } else {
    fill_set(work, params);
  }
  return work;
}

void SimDevice::finish_part(Stream& stream, Work& work) {
  note_device(EventKind::finish, stream, work);
  order->done(work.at);
  if constexpr (kTsan) {
    const OnStream on(stream);
    if (work.kind == WorkKind::kernel) edge_acquire(&work.launch.done);
  }
  spare_works_.push_back(&work);
}

void SimDevice::call_host(const HostCall& call) {
  if (scheduler().in_task()) return call_later(call);
  order->host_saw(call.frame->before[call.node]);
  in_function = true;
  GraphRun::call(call);
  in_function = false;
  call.run->called(call);
}

// ---- events -----------------------------------------------------------------------------------

Stream& SimDevice::add_clock(Context& context) {
  Stream& clock = streams.add();
  clock.device = this;
  clock.context = &context;
  clock.blocking = false;
  clock.own_label = "event record node";
  clock.own_name = clock.resource = scheduler().name_next(clock.own_label);
  return clock;
}

void SimDevice::reach(Event& event, const StreamPoint& point) {
  point.stream->completed = point.seq;
  edge_release(&point.stream->done_edge);
  scheduler().touch(point.stream->resource);
  if (event.point.stream == point.stream && event.point.seq == point.seq)
    event.time = scheduler().now();
}

}  // namespace harness::devices
