// SPDX-License-Identifier: Apache-2.0
// slot_table: each graph has one table of its nodes' owners, with a slot per node, as one user
// object; copies and sets have slots, too. cuda-python#2280.
//
// Rationale: "every node's owners, replaced when its parameters are". The flaw: clones and
// executables share the table and lose what a slot loses. Its destructor drops references on CUDA's
// thread. In that version a builder's handle owns the graph from the start of the capture (#2008),
// but CUDA destroys it when the capture is invalidated (#2834).
#pragma once

#include "targets/graph_argument/policy.h"

namespace targets::graph_argument {

class SlotTable final : public Policy {
 public:
  using Policy::Policy;

  Status prepare(GraphBox& graph, const Owners& owners, Keeping*& prepared) override;
  Status commit(GraphBox& graph, harness::Object& definition, CUgraphNode node,
                const Owners& owners, Keeping* prepared) override;
  void destroyed(GraphBox& graph, CUgraphNode node) override;
  Captured captured() const override { return Captured::owned_at_once; }

 private:
  /// Ownership: CUDA owns it once it is attached.
  struct Table : Keeping {
    explicit Table(Core& core) : core(core) {}
    struct Slot {
      CUgraphNode node;
      Owners owners;
    };
    /// Called with the GIL.
    void set(CUgraphNode node, Owners owners);

    Core& core;
    std::pmr::vector<Slot> slots;
  };
  struct TableHandle {
    Table* table = nullptr;
    explicit operator bool() const { return table != nullptr; }
    void reset();
  };
};

}  // namespace targets::graph_argument
