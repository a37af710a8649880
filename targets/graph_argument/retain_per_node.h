// SPDX-License-Identifier: Apache-2.0
// retain_per_node: a user object for each version of a node (attach_per_node.h), and an accumulator
// for each executable that its handle holds too. cuda-python #2357, #2371, #2473, #2526, #2602,
// #2627, with fixes for the bugs that are still open there (move_to_graph.h is cuda.core's own).
//
// Meant to be sound within the contract. New owners of an executable's node are appended to an
// accumulator, a user object that only the executable and its handle hold. By the handle's
// reference, no update, failed or not, can take it away. After a failed update the executable may
// hold either of two, and new owners are appended to both. Python's main thread performs all
// releases that CUDA's threads defer. Bounded: replaced owners of an executable stay until its next
// whole update, or its end.
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
  /// Owners passed to nodes of an executable since it was made.
  struct Accumulator {
    explicit Accumulator(RetainPerNode& policy) : policy(policy) {}
    RetainPerNode& policy;
    std::pmr::vector<Owners*> owners;
    CUuserObject object = nullptr;
  };
  struct Accumulators : Keeping {
    std::pmr::vector<Accumulator*> held;  ///< All are appended to: the executable may hold any.
  };

  static void destroy_accumulator(void* accumulator);
  /// Returns a new accumulator, which the graph holds, too. Null if CUDA fails.
  Accumulator* accumulate(GraphBox& graph);
  void give_up(Accumulators& accumulators, std::size_t first, std::size_t last);

  DeferredCleanup deferred_;
};

}  // namespace targets::graph_argument
