// SPDX-License-Identifier: Apache-2.0
// Users: who still uses a thing, and so the window that its loss is in: a launch in flight, an
// executable, or no more than a definition.
#pragma once

#include "scenarios/graph_argument/shadow/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the records.
class ShadowUsers {
 public:
  explicit ShadowUsers(const ShadowRecords& records) : records_(records) {}

  bool used(const ShadowThing& thing) const;
  /// Returns whether what nothing else uses is let go of, on CUDA's thread, now that `nodes` are
  /// over.
  bool let_go(const ShadowNodes& nodes) const;
  /// Names the window that a use of the thing would be in, if it died now.
  Window window_of(const ShadowThing& thing) const;
  /// Returns whether what graphs keep alive leads back to a graph that keeps it.
  bool has_cycle() const;

 private:
  /// By those that have its address alone, or by those that have it by its wrapper.
  std::optional<Window> window_of_users(const ShadowThing& thing, bool by_address) const;
  /// The same by launches alone: those that something has waited for, or those that nothing has.
  std::optional<Window> window_of_launches(const ShadowThing& thing, bool by_address,
                                           bool finished) const;
  /// A definition that the node was copied from has lost the thing, or `source` has.
  bool was_lost(const ShadowNode& node, const ShadowThing& thing, const ShadowGraph* source) const;
  /// A captured launch uses it.
  bool is_captured(const ShadowThing& thing) const;
  bool leads_to(const ShadowThing& from, const ShadowThing& to, std::uint32_t depth) const;

  const ShadowRecords& records_;
};

}  // namespace scenarios::graph_argument
