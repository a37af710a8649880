// SPDX-License-Identifier: Apache-2.0
// Common parts of the calls on graphs: looking up handles, and detecting two threads in the same
// graph.
//
// A CUDA graph may only be used by one thread at a time. A call that changes a graph marks it,
// offers the turn, and only then acts. A call that finds a marked graph is a fault, and is refused.
#pragma once

#include <span>
#include <vector>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices::calls {

/// Gives the caller exclusive use of an object while it exists.
class Exclusive {
 public:
  Exclusive() = default;
  ~Exclusive() {
    if (caller_ != nullptr) *caller_ = TaskId::none;
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  /// Announces `resource`. If another task is inside, records a fault and returns false.
  bool enter(SimDevice& sim, TaskId& caller, Resource resource, Label kind, BirthId birth);

 private:
  TaskId* caller_ = nullptr;
};

/// A graph that the call changes.
class ChangingGraph {
 public:
  ChangingGraph(SimDevice& sim, CUgraph handle);
  ChangingGraph(SimDevice& sim, CUgraphNode handle);

  /// Returns the graph, or null if the call must return CUDA_ERROR_INVALID_VALUE.
  Graph* graph() const { return graph_; }
  /// Returns the node that the call names, if any.
  GraphNode* node() const { return node_; }

 private:
  Graph* graph_ = nullptr;
  GraphNode* node_ = nullptr;
  Exclusive exclusive_;
};

/// An executable graph that the call uses. `resource` is another resource that it touches, or 0.
class UsingExecutable {
 public:
  UsingExecutable(SimDevice& sim, CUgraphExec handle, Resource resource = 0);

  /// Returns the executable, or null if the call must return CUDA_ERROR_INVALID_VALUE.
  Executable* executable() const { return executable_; }

 private:
  Executable* executable_ = nullptr;
  Exclusive exclusive_;
};

/// Returns whether an unfinished capture adds to the graph. Calls that remove something are a fault
/// then.
bool is_being_filled(SimDevice& sim, const Graph& graph);

/// Returns the object for a call that only reads it. Records a fault and returns null if it is dead
/// or is being changed.
Graph* look_at(SimDevice& sim, CUgraph handle);
GraphNode* look_at(SimDevice& sim, CUgraphNode handle);

/// Finds the edges of a new node of `graph`. Returns false if the documentation requires an error.
bool find_edges(SimDevice& sim, const Graph& graph, const CUgraphNode* after,
                const CUgraphEdgeData* data, std::size_t count, std::vector<GraphEdge>& edges);

/// Returns whether an edge may have this data.
bool is_valid(const GraphNode& from, const GraphNode* to, const CUgraphEdgeData& data);

/// A request to add a node.
struct NewNode {
  CUgraphNode* created;
  CUgraph graph;
  CUgraphNodeType type;
  const CUgraphNode* after;
  const CUgraphEdgeData* data;
  std::size_t after_count;
};

/// Returns an error if a node of this type is not allowed in the graph.
CUresult check_type(const Graph& graph, CUgraphNodeType type);

/// Adds the node that `make(graph, edges)` returns, unless that is an error.
template <class Make>
CUresult add_node(SimDevice& sim, const NewNode& wanted, Make make) {
  if (wanted.created == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, wanted.graph);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_type(*call.graph(), wanted.type); error != CUDA_SUCCESS)
    return error;
  std::vector<GraphEdge>& edges = sim.graphs().definitions().scratch_edges();
  if (!find_edges(sim, *call.graph(), wanted.after, wanted.data, wanted.after_count, edges))
    return CUDA_ERROR_INVALID_VALUE;
  const Found<GraphNode> node = make(*call.graph(), std::span<const GraphEdge>(edges));
  if (!node) return node.error();
  *wanted.created = node->as<CUgraphNode>();
  return CUDA_SUCCESS;
}

/// Does the same with the parameters that `make()` returns, unless that is an error.
template <class Make>
CUresult add_params(SimDevice& sim, const NewNode& wanted, Make make) {
  return add_node(sim, wanted,
                  [&](Graph& graph, std::span<const GraphEdge> edges) -> Found<GraphNode> {
                    const Found<const NodeParams> params = make();
                    if (!params) return params.error();
                    return sim.graphs().definitions().add(graph, *params, edges);
                  });
}

/// Replaces the parameters of a node of `type` by those that `make()` returns.
template <class Make>
CUresult set_params(SimDevice& sim, CUgraphNode handle, CUgraphNodeType type, Make make) {
  const ChangingGraph call(sim, handle);
  if (call.node() == nullptr || call.node()->params->type != type) return CUDA_ERROR_INVALID_VALUE;
  const Found<const NodeParams> params = make();
  if (!params) return params.error();
  if (!fit(*call.node()->attributes, *params)) return CUDA_ERROR_INVALID_VALUE;
  call.node()->params = &*params;
  return CUDA_SUCCESS;
}

/// Returns whether the bytes that are unused by the type are zero, as required for future
/// extensions.
bool unused_is_zero(const CUgraphNodeParams& given);

/// Returns the parameters of a node of `type`; null if it has another type
/// (CUDA_ERROR_INVALID_VALUE).
const NodeParams* params_of(SimDevice& sim, CUgraphNode handle, CUgraphNodeType type);

/// Moves nothing, but orders the next launch after the upload.
void upload(SimDevice& sim, Executable& exec, Stream& stream);

/// Adds an allocation node and stores its address in `given`.
CUresult add_alloc(SimDevice& sim, const NewNode& wanted, CUDA_MEM_ALLOC_NODE_PARAMS& given);
CUresult add_free(SimDevice& sim, const NewNode& wanted, CUdeviceptr address);
/// Adds a conditional node and stores the handles of its bodies in `given`.
CUresult add_conditional(SimDevice& sim, const NewNode& wanted,
                         CUDA_CONDITIONAL_NODE_PARAMS& given);

}  // namespace harness::devices::calls
