// SPDX-License-Identifier: Apache-2.0
// Whole graphs: created, cloned, destroyed, and the user objects that they keep alive.
#include "harness/devices/sim/calls/graph.h"

#include <climits>
#include <fstream>

#include "harness/devices/sim/graphs/dot.h"

namespace harness::devices::calls {

static constexpr Label kGraphKind = "graph";

// ---- one thread at a time ---------------------------------------------------------------------

bool Exclusive::enter(SimDevice& sim, TaskId& caller, Resource resource, Label kind,
                      BirthId birth) {
  if (caller != TaskId::none) {
    sim.faults().misuse(kind, "used by two threads at once", birth);
    return false;
  }
  if (!sim.scheduler().in_task()) return true;
  caller = sim.scheduler().current();
  caller_ = &caller;
  sim.scheduler().turn({resource, AccessKind::write});
  return true;
}

/// Finds an object. Null is only an error; an invalid or dead handle is also reported.
template <class Table>
static auto find(SimDevice& sim, const Table& table, const void* handle, Label kind) {
  return handle != nullptr ? sim.find(table, handle, kind) : nullptr;
}

ChangingGraph::ChangingGraph(SimDevice& sim, CUgraph handle) {
  Graph* found = find(sim, sim.graphs().definitions().graphs(), handle, kGraphKind);
  if (found == nullptr) return;
  Graph& root = found->root();
  if (exclusive_.enter(sim, root.caller, sim.ledger().life(root.birth).name, kGraphKind,
                       root.birth))
    graph_ = found;
}

ChangingGraph::ChangingGraph(SimDevice& sim, CUgraphNode handle) {
  GraphNode* found = find(sim, sim.graphs().definitions().nodes(), handle, "graph node");
  if (found == nullptr) return;
  Graph& root = found->graph->root();
  if (!exclusive_.enter(sim, root.caller, sim.ledger().life(root.birth).name, kGraphKind,
                        root.birth))
    return;
  node_ = found;
  graph_ = found->graph;
}

UsingExecutable::UsingExecutable(SimDevice& sim, CUgraphExec handle, Resource resource) {
  Executable* found = find(sim, sim.graphs().executables().table(), handle, "executable graph");
  if (found == nullptr) return;
  if (resource == 0) resource = sim.ledger().life(found->birth).name;
  if (exclusive_.enter(sim, found->caller, resource, "executable graph", found->birth))
    executable_ = found;
}

static bool is_free(SimDevice& sim, Graph& root) {
  if (root.caller == TaskId::none || root.caller == sim.scheduler().current()) return true;
  sim.faults().misuse(kGraphKind, "used by two threads at once", root.birth);
  return false;
}

Graph* look_at(SimDevice& sim, CUgraph handle) {
  Graph* graph = find(sim, sim.graphs().definitions().graphs(), handle, kGraphKind);
  return graph != nullptr && is_free(sim, graph->root()) ? graph : nullptr;
}

GraphNode* look_at(SimDevice& sim, CUgraphNode handle) {
  GraphNode* node = find(sim, sim.graphs().definitions().nodes(), handle, "graph node");
  return node != nullptr && is_free(sim, node->graph->root()) ? node : nullptr;
}

bool is_being_filled(SimDevice& sim, const Graph& graph) {
  if (!sim.captures().fills(graph.root())) return false;
  sim.faults().misuse(kGraphKind, "destroyed, or a node of it, while a capture fills it",
                      graph.birth);
  return true;
}

// ---- graphs -----------------------------------------------------------------------------------

CUresult Calls::cuGraphCreate(CUgraph* created, unsigned flags) {
  if (created == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *created = sim.graphs().definitions().create().as<CUgraph>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphDestroy(CUgraph handle) {
  if (const Graph* dead = sim.graphs().definitions().graphs().find(handle);
      dead != nullptr && !dead->alive) {
    sim.ledger().double_free(dead->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (call.graph()->owner != nullptr) return CUDA_ERROR_INVALID_VALUE;  // It belongs to its node.
  if (is_being_filled(sim, *call.graph())) return CUDA_ERROR_INVALID_VALUE;
  sim.graphs().definitions().destroy(*call.graph());
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphClone(CUgraph* created, CUgraph original) {
  if (created == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, original);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (call.graph()->has_memory_nodes() || call.graph()->has_conditional_nodes() ||
      call.graph()->is_conditional_body())
    return CUDA_ERROR_NOT_SUPPORTED;
  *created = sim.graphs().definitions().clone(*call.graph(), nullptr).as<CUgraph>();
  return CUDA_SUCCESS;
}

static const GraphNode* find_copy(const Graph& graph, const GraphNode& original) {
  for (const GraphNode* node : graph.nodes)
    if (node->original == &original) return node;
  for (const GraphNode* node : graph.nodes)
    for (const Graph* body : node->bodies)
      if (const GraphNode* found = find_copy(*body, original)) return found;
  return nullptr;
}

CUresult Calls::cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone) {
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const GraphNode* node = look_at(sim, original);
  const Graph* graph = node != nullptr ? look_at(sim, clone) : nullptr;
  const GraphNode* copy = graph != nullptr ? find_copy(*graph, *node) : nullptr;
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *found = copy->as<CUgraphNode>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphDebugDotPrint(CUgraph handle, const char* path, unsigned flags) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;  // Unknown flags are ignored.
  const Graph* graph = look_at(sim, handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::ofstream file(path, std::ios::trunc);
  file << to_dot(*graph, flags) << std::flush;
  return file ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

// ---- user objects -----------------------------------------------------------------------------

static bool is_valid_count(unsigned count) { return count - 1 < unsigned{INT_MAX}; }

static UserObject* find_object(SimDevice& sim, CUuserObject handle) {
  return find(sim, sim.graphs().user_objects().table(), handle, "user object");
}

/// Checks that the caller releases only references that it owns.
static bool owned_by_callers(SimDevice& sim, const UserObject& object, unsigned count) {
  if (count <= object.owned_by_callers) return true;
  sim.faults().misuse("user object", "references released that the caller does not own",
                      object.birth);
  return false;
}

CUresult Calls::cuUserObjectCreate(CUuserObject* created, void* data, CUhostFn destroy,
                                   unsigned count, unsigned flags) {
  if (created == nullptr || destroy == nullptr || !is_valid_count(count) ||
      flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  *created = sim.graphs().user_objects().create(data, destroy, count).as<CUuserObject>();
  return CUDA_SUCCESS;
}

CUresult Calls::cuUserObjectRetain(CUuserObject handle, unsigned count) {
  if (!is_valid_count(count)) return CUDA_ERROR_INVALID_VALUE;
  UserObject* object = find_object(sim, handle);
  if (object == nullptr) return CUDA_ERROR_INVALID_VALUE;
  object->owned_by_callers += count;
  object->count += count;
  return CUDA_SUCCESS;
}

CUresult Calls::cuUserObjectRelease(CUuserObject handle, unsigned count) {
  if (!is_valid_count(count)) return CUDA_ERROR_INVALID_VALUE;
  UserObject* object = find_object(sim, handle);
  if (object == nullptr || !owned_by_callers(sim, *object, count)) return CUDA_ERROR_INVALID_VALUE;
  object->owned_by_callers -= count;
  sim.graphs().user_objects().release(*object, count);
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphRetainUserObject(CUgraph handle, CUuserObject object_handle, unsigned count,
                                        unsigned flags) {
  const bool move = flags == CU_GRAPH_USER_OBJECT_MOVE;
  if (!is_valid_count(count) || (flags != 0 && !move)) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  UserObject* object = find_object(sim, object_handle);
  if (object == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (move) {
    if (!owned_by_callers(sim, *object, count)) return CUDA_ERROR_INVALID_VALUE;
    object->owned_by_callers -= count;
  } else {
    object->count += count;
  }
  call.graph()->references.add(*object, count);
  return CUDA_SUCCESS;
}

CUresult Calls::cuGraphReleaseUserObject(CUgraph handle, CUuserObject object_handle,
                                         unsigned count) {
  if (!is_valid_count(count)) return CUDA_ERROR_INVALID_VALUE;
  const ChangingGraph call(sim, handle);
  if (call.graph() == nullptr) return CUDA_ERROR_INVALID_VALUE;
  UserObject* object = find_object(sim, object_handle);
  if (object == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (count > call.graph()->references.count(*object)) {
    sim.faults().misuse("user object", "references released that the graph does not own",
                        object->birth);
    return CUDA_ERROR_INVALID_VALUE;
  }
  call.graph()->references.remove(*object, count);
  sim.graphs().user_objects().release(*object, count);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
