// SPDX-License-Identifier: Apache-2.0
// Rules for changing the work of a node in an executable graph.
#include <algorithm>

#include "harness/devices/sim/graphs/params.h"

namespace harness::devices {

static const Block& block_of(SimDevice& sim, const Place& place) {
  return sim.memory().block(sim.memory().newest(place.address));
}

/// Returns whether both are host memory, or were allocated by the same function in one context.
static bool same_kind(SimDevice& sim, const Place& left, const Place& right) {
  if ((left.birth == BirthId::none) != (right.birth == BirthId::none)) return false;
  return left.birth == BirthId::none ||
         (block_of(sim, left).origin == block_of(sim, right).origin &&
          block_of(sim, left).context == block_of(sim, right).context);
}

/// Returns whether a set may use this memory. Managed memory counts as device memory here.
static bool may_be_set(SimDevice& sim, const Place& old, const Place& now) {
  return same_kind(sim, old, now) || (block_of(sim, now).origin == Origin::managed &&
                                      block_of(sim, old).context == block_of(sim, now).context);
}

static bool may_copy(SimDevice& sim, const NodeParams& from, const NodeParams& to) {
  const CUDA_MEMCPY3D& old = from.copy;
  const CUDA_MEMCPY3D& now = to.copy;
  const bool one_row = old.Height == 1 && old.Depth == 1 && now.Height == 1 && now.Depth == 1;
  return one_row && old.srcMemoryType == now.srcMemoryType &&
         old.dstMemoryType == now.dstMemoryType && same_kind(sim, from.target, to.target) &&
         same_kind(sim, from.source, to.source);
}

static bool may_set(SimDevice& sim, const NodeParams& from, const NodeParams& to) {
  const CUDA_MEMSET_NODE_PARAMS& old = from.set;
  const CUDA_MEMSET_NODE_PARAMS& now = to.set;
  if (!may_be_set(sim, from.target, to.target) || old.height != now.height) return false;
  const bool same_size =
      old.width == now.width && old.elementSize == now.elementSize && old.pitch == now.pitch;
  return old.height == 1 || same_size;
}

/// Addresses, values and conditions may change, but not the number and kinds of the operations.
static bool may_operate(const NodeParams& from, const NodeParams& to) {
  return from.context == to.context &&
         std::equal(
             from.batch_operations.begin(), from.batch_operations.end(),
             to.batch_operations.begin(), to.batch_operations.end(),
             [](const CUstreamBatchMemOpParams& left, const CUstreamBatchMemOpParams& right) {
               return left.operation == right.operation;
             });
}

bool may_become(SimDevice& sim, const NodeParams& from, const NodeParams& to) {
  if (from.type != to.type) return false;
  switch (from.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return from.context == to.context;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return from.context == to.context && may_copy(sim, from, to);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return from.context == to.context && may_set(sim, from, to);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return may_operate(from, to);
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      return from.condition_type == to.condition_type;
    default:
      return true;
  }
}

}  // namespace harness::devices
