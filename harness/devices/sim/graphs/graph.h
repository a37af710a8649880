// SPDX-License-Identifier: Apache-2.0
// Graph: what a CUgraph stands for: nodes, what they depend on, and the user objects it keeps
// alive.
//
// A node's work is a NodeParams, which never changes once made: setting parameters gives the
// node another one. So a clone, an executable and a launch in flight share it, and none is affected
// by what happens to the others.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/devices/sim/graphs/memory.h"
#include "harness/devices/sim/graphs/user_object.h"
#include "harness/devices/sim/handles_recycled.h"
#include "harness/devices/sim/kernels/attributes.h"
#include "harness/devices/sim/kernels/launch.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/streams/work.h"
#include "harness/scheduler.h"

namespace harness::devices {

struct Context;
struct Function;
struct Graph;
struct GraphNode;

/// The meaning of a CUgraphConditionalHandle: a value that kernels set and a conditional node
/// asks.
struct Conditional {
  CUgraphConditionalHandle handle = 0;
  const Graph* graph = nullptr;     ///< The graph that it was made for.
  const GraphNode* node = nullptr;  ///< The node that asks it.
  unsigned default_value = 0;
  bool assigns_default = false;  ///< At the beginning of each launch.
  unsigned value = 0;
  bool is_set = false;  ///< In this launch, by a kernel or as its default.
};

/// A node's work, as the call that said so meant it: values are copied, and whose memory they
/// pointed at is remembered from that moment on.
struct NodeParams {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  Label label;          ///< "copy", or the kernel's name.
  CapturedAt captured;  ///< Where the values were copied.

  // The parameters as the call gave them: handles and addresses, not what they point at.
  CUDA_KERNEL_NODE_PARAMS kernel;
  CUDA_MEMCPY3D copy;
  CUDA_MEMSET_NODE_PARAMS set;
  CUDA_HOST_NODE_PARAMS host;
  LentId lent;  ///< The data of a host function.

  Context* context;  ///< The context of a kernel, copy or set.

  // A kernel.
  Function* function;
  std::vector<std::byte> values;  ///< The parameter buffer.
  std::vector<void*> pointers;    ///< Into it, one per parameter.
  std::size_t value_bytes;
  void* extra[5];
  CapturedWords words;  ///< The pointers among the values.

  // A copy or set: whose memory it is.
  Place target;
  Place source;
  Rows rows;  ///< The rows of a copy.

  Event* event;  ///< To record, or to wait for.

  GraphMemory* memory;  ///< To allocate or free.
  CUDA_MEM_ALLOC_NODE_PARAMS alloc;
  std::vector<CUmemAccessDesc> access;  ///< The access that an allocation asks for.

  CUDA_BATCH_MEM_OP_NODE_PARAMS batch;
  std::vector<CUstreamBatchMemOpParams> batch_operations;  ///< The array of `batch`.
  std::vector<MemoryOp> memory_ops;  ///< The operations of `batch`, as they were meant.

  HostWork host_work;  ///< A host node with such a function takes its time as a kernel does.

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

/// An edge: a node that another one waits for.
struct GraphEdge {
  GraphNode* from = nullptr;
  CUgraphEdgeData data{};
};

struct GraphNode : Object {
  Graph* graph = nullptr;
  const NodeParams* params = nullptr;
  const KernelAttributes* attributes = &kDefaultAttributes;
  std::vector<GraphEdge> after;       ///< In the order in which they were added.
  std::vector<Graph*> bodies;         ///< Embedded: one of a child node, some of a conditional one.
  std::vector<CUgraph> body_handles;  ///< The bodies that the program was informed of.
  const GraphNode* original = nullptr;  ///< Whom it was cloned from.
  std::uint32_t index = 0;              ///< Scratch: its place among the graph's nodes.

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
  std::vector<GraphNode*> nodes;  ///< The living ones, in the order in which they were added.
  UserReferences references;
  bool moved = false;            ///< It was made apart, and moved into its owner.
  std::uint32_t exec_count = 0;  ///< Executables that were made from it and exist.
  TaskId caller = TaskId::none;  ///< The task inside a call that changes it (root graphs).

  void reset() {
    owner = nullptr;
    nodes.clear();
    references.clear();
    moved = false;
    exec_count = 0;
    caller = TaskId::none;
  }

  /// It, or a graph embedded in it, allocates or frees.
  bool has_memory_nodes() const;
  /// It, or a graph embedded in it, has nodes that choose which graph embedded in them runs.
  bool has_conditional_nodes() const;
  /// It is embedded in such a node, at some level.
  bool is_conditional_body() const;

  /// The graph that calls are about: embedded graphs are part of the one they are in.
  Graph& root() { return owner != nullptr ? owner->graph->root() : *this; }
  const Graph& root() const { return owner != nullptr ? owner->graph->root() : *this; }
};

/// Returns the nodes, each after those that it waits for, otherwise as they were added; without
/// those on a cycle. Each knows its place in `index`.
std::vector<GraphNode*> sorted(const Graph& graph);

/// Returns a node on a path of dependencies that leads back to where it began, or null.
GraphNode* find_cycle(Graph& graph);

}  // namespace harness::devices
