// retain_per_node: each version of a node's parameters has a user object of its own, which keeps
// what they point into, and is never changed. cuda-python #2357, #2371, #2473, #2526, #2602, #2627,
// with the failed update of an executable closed.
//
// Its author says: sound, within the contract.
// What it holds: all owners of a node, from before the node is added until the graph, its clones,
// children and executables, and their launches are gone, or have other parameters. What an
// executable's node is given is appended to an accumulator, a user object that only the executable
// holds; and this, with a reference of its own, so that no update, failed or not, can take it away.
// Who lets go: Python's main thread. CUDA's threads put off everything.
// Bounded: replaced owners of an executable stay until its next whole update, or its end.
#pragma once

#include "targets/graph_argument/deferred.h"

namespace targets::graph_argument {

class RetainPerNode : public Policy {
 public:
  explicit RetainPerNode(Core& core) : Policy(core), deferred_(core) {}

  Status prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) override;
  void roll_back(GraphBox& graph, Keeping* prepared) override;
  Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                const Owners& owners, Keeping* prepared) override;
  void destroyed(GraphBox& graph, CUgraphNode node) override;
  bool sets_tombstones() const override { return true; }

  CUresult instantiate(GraphBox& graph, CUgraphExec& exec, Keeping*& keeping) override;
  void prepare_update(ExecBox& exec, const Owners& owners) override;
  void roll_back_update(ExecBox& exec) override;
  CUresult update(ExecBox& exec, GraphBox& graph) override;
  void dropped(ExecBox& exec) override;

  void release(Garbage garbage) override;
  void entered() override { deferred_.retry(); }
  void finalizing() override { deferred_.abandon(); }
  bool refuses_closed() const override { return true; }
  /// Whether the destructors of user objects take the GIL for what they do.
  virtual bool destructors_take_gil() const { return false; }

 private:
  /// Things that one version of a node needs.
  struct Attachment : Keeping {
    Attachment(RetainPerNode& kept_by, const Owners& from) : policy(kept_by), owners(from) {
      owners.operands.reset();  // The owners are enough.
    }
    RetainPerNode& policy;
    Owners owners;
    CUuserObject object = nullptr;
  };
  /// Attachments that the nodes of an executable were given since it was made.
  struct Accumulator {
    explicit Accumulator(RetainPerNode& policy) : policy(policy) {}
    RetainPerNode& policy;
    std::pmr::vector<Owners*> owners;
    CUuserObject object = nullptr;
  };
  struct Attachments : Keeping {
    struct Entry {
      CUgraphNode node;
      Attachment* attachment;
    };
    std::pmr::vector<Entry> entries;
  };
  struct Accumulators : Keeping {
    std::pmr::vector<Accumulator*> held;  ///< The last is appended to.
  };

  /// The GIL, for as long as a destructor works; or nothing.
  class DestructorGil;

  static void destroy_attachment(void* attachment);
  static void destroy_accumulator(void* accumulator);
  /// A new accumulator, which the graph holds too. Null where CUDA has failed.
  Accumulator* accumulate(GraphBox& graph);
  void give_up(Accumulators& accumulators, std::size_t first, std::size_t last);
  /// Removes and returns the node's attachment; null where it has none.
  static Attachment* take(GraphBox& graph, CUgraphNode node);

  DeferredCleanup deferred_;
};

}  // namespace targets::graph_argument
