// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/graphs/launches/node_work.h"

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

static void fill_kernel(Work& work, const NodeParams& params) {
  const CUDA_KERNEL_NODE_PARAMS& given = params.kernel;
  Launch& launch = work.launch;
  work.module = params.function->module;
  launch.prepare(*params.function->entry, params.values.data());
  launch.grid = {given.gridDimX, given.gridDimY, given.gridDimZ};
  launch.block = {given.blockDimX, given.blockDimY, given.blockDimZ};
  launch.shared_bytes = given.sharedMemBytes;
  launch.captured = params.captured;
}

static void fill_copy(Work& work, const NodeParams& params) {
  work.target = params.target;
  work.source = params.source;
  work.bytes = params.copy.WidthInBytes;
  work.rows = params.rows;
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

Work& make_work(SimDevice& sim, const NodeParams& params) {
  const WorkKind kind = params.type == CU_GRAPH_NODE_TYPE_KERNEL         ? WorkKind::kernel
                        : params.type == CU_GRAPH_NODE_TYPE_MEMCPY       ? WorkKind::copy
                        : params.type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP ? WorkKind::memory_ops
                        : params.type == CU_GRAPH_NODE_TYPE_HOST         ? WorkKind::host_work
                                                                         : WorkKind::set;
  Work& work = sim.queues().fresh(kind, params.label);
  work.captured = params.captured;
  if (kind == WorkKind::kernel) {
    fill_kernel(work, params);
    sim.provenance().authorise(work.launch, params.words);
  } else if (kind == WorkKind::copy) {
    fill_copy(work, params);
  } else if (kind == WorkKind::memory_ops) {
    work.memory_ops = params.memory_ops;
  } else if (kind == WorkKind::host_work) {
    work.host_work = params.host_work;
  } else {
    fill_set(work, params);
  }
  return work;
}

}  // namespace harness::devices
