// SPDX-License-Identifier: Apache-2.0
// attach_per_node: each version of a node's parameters has its own user object, which keeps the
// objects behind the parameters and never changes. cuda-python #2357. It is attached before the
// node is added or changed, so that no failure leaves a node without its owners.
//
// It holds all owners of a node as long as the graph, its clones, children and executables, and
// their launches exist and use these parameters. Subclasses handle the owners of an executable's
// own nodes, and the release of objects in CUDA's callbacks.
#pragma once

#include <optional>

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class AttachPerNode : public Policy {
 public:
  using Policy::Policy;

  Status prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) override;
  void roll_back(GraphBox& graph, Keeping* prepared) override;
  Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                const Owners& owners, Keeping* prepared) override;
  void destroyed(GraphBox& graph, CUgraphNode node) override;
  bool sets_tombstones() const override { return true; }
  bool refuses_closed() const override { return true; }
  /// Returns whether the destructors of user objects take the GIL.
  virtual bool destructors_take_gil() const { return false; }

 protected:
  /// Takes the GIL for a destructor if the policy says so. It is not taken if there is no
  /// interpreter (#2074).
  class DestructorGil {
   public:
    explicit DestructorGil(const AttachPerNode& policy) {
      if (policy.destructors_take_gil() && !policy.core_.finalized.raised())
        attach_.emplace(policy.core_);
    }

   private:
    std::optional<CallbackAttach> attach_;
  };

  /// Takes over what a user object held. Called on a CUDA thread. `owners` must not move.
  virtual void put_off(Owners& owners) = 0;

 private:
  /// Owners of one version of a node.
  struct Attachment : Keeping {
    Attachment(AttachPerNode& kept_by, const Owners& from) : policy(kept_by), owners(from) {
      owners.operands.reset();  // The buffers' memory is enough.
    }
    AttachPerNode& policy;
    Owners owners;
    CUuserObject object = nullptr;
  };
  struct Attachments : Keeping {
    struct Entry {
      CUgraphNode node;
      Attachment* attachment;
    };
    std::pmr::vector<Entry> entries;
  };

  static void destroy_attachment(void* attachment);
  /// Removes and returns the node's attachment, or null if it has none.
  static Attachment* take(GraphBox& graph, CUgraphNode node);
};

}  // namespace targets::graph_argument
