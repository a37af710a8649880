// SPDX-License-Identifier: Apache-2.0
// retain_per_node: a user object for each version of a node (attach_per_node.h), and an accumulator
// for each executable that its handle holds too. cuda-python #2357, #2371, #2473, #2526, #2602,
// #2627, with fixes for what is still open there (move_to_graph.h is cuda.core's own).
//
// Its author says: sound, within the contract. What an executable's node is given is appended to an
// accumulator, a user object that only the executable holds. This policy also holds it by its own
// reference, so that no update, failed or not, can take it away. After a failed update there are
// two that the executable may hold, and new owners are appended to both. Python's main thread
// releases everything that CUDA's threads put off. Bounded: replaced owners of an executable stay
// until its next whole update, or its end.
#pragma once

#include "targets/graph_argument/attach_per_node.h"
#include "targets/graph_argument/deferred.h"

namespace targets::graph_argument {

class RetainPerNode : public AttachPerNode {
 public:
  explicit RetainPerNode(Core& core) : AttachPerNode(core), deferred_(core) {}

  Captured captured() const override { return Captured::owned_when_ended; }
  CUresult instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) override;
  void prepare_update(ExecBox& exec, const Owners& owners) override;
  void roll_back_update(ExecBox& exec) override;
  CUresult update(ExecBox& exec, GraphBox& graph) override;
  void dropped(ExecBox& exec) override;

  void release(Garbage garbage) override;
  void entered() override { deferred_.retry(); }
  void finalizing() override { deferred_.abandon(); }

 protected:
  void put_off(Owners& owners) override { deferred_.push(owners); }

 private:
  /// Attachments that the nodes of an executable were given since it was made.
  struct Accumulator {
    explicit Accumulator(RetainPerNode& policy) : policy(policy) {}
    RetainPerNode& policy;
    std::pmr::vector<Owners*> owners;
    CUuserObject object = nullptr;
  };
  struct Accumulators : Keeping {
    std::pmr::vector<Accumulator*> held;  ///< The executable may hold any; all are appended to.
  };

  static void destroy_accumulator(void* accumulator);
  /// A new accumulator, which the graph holds too. Null where CUDA has failed.
  Accumulator* accumulate(GraphBox& graph);
  void give_up(Accumulators& accumulators, std::size_t first, std::size_t last);

  DeferredCleanup deferred_;
};

}  // namespace targets::graph_argument
