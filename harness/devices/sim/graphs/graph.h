// SPDX-License-Identifier: Apache-2.0
// Graph: the object behind a CUgraph: nodes, their dependencies, and references to user objects.
//
// The work of a node is a NodeParams, which is immutable: setting parameters gives the node another
// one. So a clone, an executable and a launch in flight can share it without affecting each other.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/scheduler/scheduler.h"
#include "harness/devices/sim/graphs/memory.h"
#include "harness/devices/sim/graphs/user_object.h"
#include "harness/devices/sim/handles_recycled.h"
#include "harness/devices/sim/kernels/attributes.h"
#include "harness/devices/sim/kernels/launch.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

struct Context;
struct Function;
struct Graph;
struct GraphNode;

/// The object behind a CUgraphConditionalHandle: a value that kernels set and a conditional node
/// reads.
struct Conditional {
  CUgraphConditionalHandle handle = 0;
  const Graph* graph = nullptr;     ///< The graph that it was made for.
  const GraphNode* node = nullptr;  ///< The node that reads it.
  unsigned default_value = 0;
  bool assigns_default = false;  ///< Whether each launch begins by assigning the default.
  unsigned value = 0;
  bool is_set = false;  ///< Whether it was set in this launch, by a kernel or by default.
};

/// The work of a node, as resolved by the call that set it: values are copied, and the memory that
/// they pointed at is remembered from then on.
struct NodeParams {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Label label;          ///< "copy", or the kernel's name.
  CapturedAt captured;  ///< The call that copied the values.

  // The parameters of the call, unresolved: handles and addresses.
  CUDA_KERNEL_NODE_PARAMS kernel;
  CUDA_MEMCPY3D copy;
  CUDA_MEMSET_NODE_PARAMS set;
  CUDA_HOST_NODE_PARAMS host;
  LentId lent;  ///< The data of a host function.

  Context* context;  ///< The context of a kernel, copy or set.

  // A kernel.
  Function* function;
  std::vector<std::byte> values;  ///< The parameter buffer.
  std::vector<void*> pointers;    ///< Pointers into `values`, one per parameter.
  std::size_t value_bytes;
  void* extra[5];
  CapturedWords words;  ///< The pointers among the values.

  // The memory of a copy or set.
  Place target;
  Place source;
  Rows rows;  ///< The rows of a copy.

  Event* event;  ///< The event to record, or to wait for.

  GraphMemory* memory;  ///< The memory to allocate or free.
  CUDA_MEM_ALLOC_NODE_PARAMS alloc;
  std::vector<CUmemAccessDesc> access;  ///< The access that an allocation requests.

  CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
  std::vector<CUstreamBatchMemOpParams> batch_operations;  ///< The array of `batch`.
  std::vector<MemoryOp> memory_ops;                        ///< The operations of `batch`, resolved.

  HostWork host_work;  ///< The function of a host node that takes time like a kernel.

  Conditional* conditional;
  CUgraphConditionalNodeType condition_type;

  void reset(CUgraphNodeType new_type, Label new_label, CapturedAt at) {
    type = new_type;
    label = new_label;
    captured = at;
    values.clear();
    pointers.clear();
    words.clear();
    lent = LentId::none;
    context = nullptr;
    function = nullptr;
    event = nullptr;
    memory = nullptr;
    access.clear();
    batch_operations.clear();
    memory_ops.clear();
    host_work.clear();
    conditional = nullptr;
  }
};

/// An edge from a node that another node waits for.
struct GraphEdge {
  GraphNode* from = nullptr;
  CUgraphEdgeData data{};
};

struct GraphNode : Object {
  Graph* graph = nullptr;
  const NodeParams* params = nullptr;
  const KernelAttributes* attributes = &kDefaultAttributes;
  std::vector<GraphEdge> after;         ///< Edges in the order in which they were added.
  std::vector<Graph*> bodies;           ///< Embedded graphs: one of a child node, several of a
                                        ///< conditional one.
  std::vector<CUgraph> body_handles;    ///< The handles of the bodies that the program knows.
  const GraphNode* original = nullptr;  ///< The node from which it was cloned.
  std::uint32_t index = 0;              ///< Scratch: its index among the graph's nodes.

  void reset() {
    attributes = &kDefaultAttributes;
    after.clear();
    bodies.clear();
    body_handles.clear();
    original = nullptr;
  }
};

struct Graph : Object {
  GraphNode* owner = nullptr;     ///< The node that this graph is embedded in.
  std::vector<GraphNode*> nodes;  ///< Live nodes, in the order in which they were added.
  UserReferences references;
  bool moved = false;            ///< It was made separately, and moved into its owner.
  std::uint32_t exec_count = 0;  ///< Number of existing executables that were made from it.
  TaskId caller = TaskId::none;  ///< The task inside a call that changes it (root graphs).

  void reset() {
    owner = nullptr;
    nodes.clear();
    references.clear();
    moved = false;
    exec_count = 0;
    caller = TaskId::none;
  }

  /// Returns whether the graph, or one embedded in it, allocates or frees memory.
  bool has_memory_nodes() const;
  /// Returns whether the graph, or one embedded in it, has conditional nodes.
  bool has_conditional_nodes() const;
  /// Returns whether the graph is embedded in a conditional node, at any level.
  bool is_conditional_body() const;

  /// Returns the root graph. Calls are about this one, because embedded graphs are part of it.
  Graph& root() { return owner != nullptr ? owner->graph->root() : *this; }
  const Graph& root() const { return owner != nullptr ? owner->graph->root() : *this; }
};

/// Returns the nodes in topological order, otherwise in the order in which they were added; without
/// those on a cycle. Sets `index` in each.
std::vector<GraphNode*> sorted(const Graph& graph);

/// Returns a node on a cycle, or null.
GraphNode* find_cycle(Graph& graph);

}  // namespace harness::devices
