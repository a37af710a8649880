// SPDX-License-Identifier: Apache-2.0
// Common parts of the calls on graphs: finding what a handle names, and telling when two
// threads are inside the same graph.
//
// CUDA's graphs may be used by one thread at a time. A call that changes one marks it, offers the
// turn, and only then acts; code that reaches a marked graph meanwhile is at fault, and refused.
#pragma once

#include <span>
#include <vector>

#include "harness/devices/sim/calls/calls.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices::calls {

/// The caller has something to itself, from here on.
class Exclusive {
 public:
  Exclusive() = default;
  ~Exclusive() {
    if (caller_ != nullptr) *caller_ = TaskId::none;
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  /// Announces `resource`. Returns false, after a fault, when another task is inside.
  bool enter(SimDevice& sim, TaskId& caller, Resource resource, Label kind, BirthId birth);

 private:
  TaskId* caller_ = nullptr;
};

/// A graph that the call changes.
class ChangingGraph {
 public:
  ChangingGraph(SimDevice& sim, CUgraph handle);
  ChangingGraph(SimDevice& sim, CUgraphNode handle);

  /// Returns the graph, or null when the call must leave with CUDA_ERROR_INVALID_VALUE.
  Graph* graph() const { return graph_; }
  /// Returns the node that the call names, if it names one.
  GraphNode* node() const { return node_; }

 private:
  Graph* graph_ = nullptr;
  GraphNode* node_ = nullptr;
  Exclusive exclusive_;
};

/// An executable graph that the call uses. `resource` is what else it touches, or 0.
class UsingExecutable {
 public:
  UsingExecutable(SimDevice& sim, CUgraphExec handle, Resource resource = 0);

  /// Returns the executable, or null when the call must leave with CUDA_ERROR_INVALID_VALUE.
  Executable* executable() const { return executable_; }

 private:
  Executable* executable_ = nullptr;
  Exclusive exclusive_;
};

/// A capture has not finished the graph: for calls that take something away, which is a fault then.
bool is_being_filled(SimDevice& sim, const Graph& graph);

/// Returns what a call only looks at, or null, after a fault, where nothing lives or something
/// changes it.
Graph* look_at(SimDevice& sim, CUgraph handle);
GraphNode* look_at(SimDevice& sim, CUgraphNode handle);

/// The edges that a new node of `graph` is to have. False where the documentation asks for an
/// error.
bool find_edges(SimDevice& sim, const Graph& graph, const CUgraphNode* after,
                const CUgraphEdgeData* data, std::size_t count, std::vector<GraphEdge>& edges);

/// Returns whether an edge may have this data.
bool is_valid(const GraphNode& from, const GraphNode* to, const CUgraphEdgeData& data);

/// A node that a call wants added.
struct NewNode {
  CUgraphNode* created;
  CUgraph graph;
  CUgraphNodeType type;
  const CUgraphNode* after;
  const CUgraphEdgeData* data;
  std::size_t after_count;
};

/// Returns whether a node of this type may be where it is wanted.
CUresult check_type(const Graph& graph, CUgraphNodeType type);

/// Adds the node that `make(graph, edges)` adds, unless it finds something wrong.
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

/// Does the same for a node whose work `make()` makes, once that has found nothing wrong with it.
template <class Make>
CUresult add_params(SimDevice& sim, const NewNode& wanted, Make make) {
  return add_node(sim, wanted,
                  [&](Graph& graph, std::span<const GraphEdge> edges) -> Found<GraphNode> {
                    const Found<const NodeParams> params = make();
                    if (!params) return params.error();
                    return sim.graphs().definitions().add(graph, *params, edges);
                  });
}

/// Gives a node of `type` the work that `make()` makes.
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

/// The bytes that its type leaves unused must be zero, so that they can get a meaning.
bool unused_is_zero(const CUgraphNodeParams& given);

/// Finds what a node of `type` does; null, for CUDA_ERROR_INVALID_VALUE, if it is of another type.
const NodeParams* params_of(SimDevice& sim, CUgraphNode handle, CUgraphNodeType type);

/// Nothing is moved; but the next launch comes after it.
void upload(SimDevice& sim, Executable& exec, Stream& stream);

/// Tells `given` the address.
CUresult add_alloc(SimDevice& sim, const NewNode& wanted, CUDA_MEM_ALLOC_NODE_PARAMS& given);
CUresult add_free(SimDevice& sim, const NewNode& wanted, CUdeviceptr address);
/// Tells `given` the handles of the bodies.
CUresult add_conditional(SimDevice& sim, const NewNode& wanted,
                         CUDA_CONDITIONAL_NODE_PARAMS& given);

}  // namespace harness::devices::calls
