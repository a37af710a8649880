// SPDX-License-Identifier: Apache-2.0
// move_to_graph: cuda.core 1.2.2. A user object for each version of a node (attach_per_node.h),
// whose only reference is moved to the graph, and an append-only accumulator for each executable,
// of which its handle has no reference either. cuda-python #2357, #2371, #2473.
//
// Its author says: "every owner, until the last of what CUDA made of the graph is gone". It holds
// all owners of nodes, and what an executable's node is given, by the accumulator of its last
// successful whole update. If CUDA has exchanged an executable's user objects and returns an error
// nevertheless, the handle names one that is gone. Python's main thread releases what user objects
// held (cleanup_queue.h); anything else is released by the code that drops it, on CUDA's threads
// too. Few places request the pending call again: after a full queue at the last destructor, and
// nothing but buffers and streams afterwards, everything stays.
#pragma once

#include "targets/graph_argument/attach_per_node.h"
#include "targets/graph_argument/cleanup_queue.h"

namespace targets::graph_argument {

class MoveToGraph : public AttachPerNode {
 public:
  explicit MoveToGraph(Core& core) : AttachPerNode(core), queue_(core) {}

  /// There is no clone: a script calls CUDA for it, and owns the graph.
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
  /// Owners that nodes of one executable were given one by one. The ledger knows its lifetime,
  /// because its executable names it without holding it.
  struct Accumulator final : CleanupItem {
    explicit Accumulator(MoveToGraph& policy);
    void drop() override;

    MoveToGraph& policy;
    std::pmr::vector<Owners> owners;
    CUuserObject object = nullptr;
    harness::BirthId life;
  };
  struct Named : Keeping {
    Accumulator* accumulator = nullptr;  ///< May be gone.
  };
  struct Held final : CleanupItem {
    explicit Held(Owners& owners) : owners(owners) {}
    void drop() override { owners = {}; }
    Owners& owners;
  };

  void put_off(Owners& owners) override { queue_.push(*core_.arena.make<Held>(owners)); }
  static void destroy_accumulator(void* accumulator);
  /// A new accumulator, whose only reference is the graph's. Null where CUDA has failed.
  Accumulator* stage(GraphBox& graph);
  /// The accumulator that the executable names. The use of one that is gone ends the run.
  Accumulator& named(ExecBox& exec);

  CleanupQueue queue_;
};

}  // namespace targets::graph_argument
