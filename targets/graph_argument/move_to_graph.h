// SPDX-License-Identifier: Apache-2.0
// move_to_graph: cuda.core 1.2.2. A user object for each version of a node (attach_per_node.h),
// whose only reference is moved to the graph, and an append-only accumulator for each executable,
// to which the handle has no reference either. cuda-python #2357, #2371, #2473.
//
// Rationale: "every owner, until the last object that CUDA made of the graph is gone". It holds all
// owners of nodes, and new owners of an executable's node in the accumulator of its last successful
// whole update. The flaw: if CUDA returns an error after it has exchanged an executable's user
// objects, the handle names an accumulator that is gone. Python's main thread releases objects of
// user objects (cleanup_queue.h); the dropping thread, even CUDA's, releases all else. Few places
// retry the pending call: if the queue was full at the last destructor, and only buffers and
// streams are used afterwards, the objects leak.
#pragma once

#include "targets/graph_argument/attach_per_node.h"
#include "targets/graph_argument/cleanup_queue.h"

namespace targets::graph_argument {

class MoveToGraph : public AttachPerNode {
 public:
  explicit MoveToGraph(Core& core) : AttachPerNode(core), queue_(core) {}

  /// Has no clone(): a script must call CUDA for it, and owns the graph.
  static constexpr Api kApi{.clones = false};

  Captured captured() const override { return Captured::owned_at_once; }
  Status prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) override;

  CUresult instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) override;
  void prepare_update(ExecBox& exec, const Owners& owners) override;
  void roll_back_update(ExecBox& exec) override;
  CUresult update(ExecBox& exec, GraphBox& graph) override;

  void release(Garbage garbage) override;
  void finalizing() override { queue_.stop(); }

 private:
  /// Owners that were passed to nodes of one executable. The ledger tracks its lifetime, because
  /// the executable's handle points to it without holding it.
  struct Accumulator final : CleanupItem {
    explicit Accumulator(MoveToGraph& policy);
    void drop() override;

    MoveToGraph& policy;
    std::pmr::vector<Owners> owners;
    CUuserObject object = nullptr;
    harness::BirthId life;
  };
  struct Named : Keeping {
    Accumulator* accumulator = nullptr;  ///< May be dangling.
  };
  struct Held final : CleanupItem {
    explicit Held(Owners& owners) : owners(owners) {}
    void drop() override { owners = {}; }
    Owners& owners;
  };

  void put_off(Owners& owners) override { queue_.push(*core_.arena.make<Held>(owners)); }
  static void destroy_accumulator(void* accumulator);
  /// Returns a new accumulator, referenced only by the graph. Null if CUDA fails.
  Accumulator* stage(GraphBox& graph);
  /// Returns the accumulator that the handle names. If it is gone, this use ends the run.
  Accumulator& named(ExecBox& exec);

  CleanupQueue queue_;
};

}  // namespace targets::graph_argument
