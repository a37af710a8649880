// SPDX-License-Identifier: Apache-2.0
// Users: the current users of a thing, and so the window of its loss: a launch in flight, an
// executable, or only a definition.
#pragma once

#include "scenarios/graph_argument/shadow/records.h"

namespace scenarios::graph_argument {

/// Ownership: borrows the records.
class ShadowUsers {
 public:
  explicit ShadowUsers(const ShadowRecords& records) : records_(records) {}

  bool used(const ShadowThing& thing) const;
  /// Returns whether CUDA's thread releases an otherwise unused thing when `nodes`
  /// end.
  bool let_go(const ShadowNodes& nodes) const;
  /// Returns the window of a use of the thing if it died now.
  Window window_of(const ShadowThing& thing) const;
  /// Returns whether objects that graphs keep alive lead back to a graph that keeps them.
  bool has_cycle() const;

 private:
  /// For users that have only its address, or for those that hold it by its wrapper.
  std::optional<Window> window_of_users(const ShadowThing& thing, bool by_address) const;
  /// The same for launches only: those that are known to be finished, or the others.
  std::optional<Window> window_of_launches(const ShadowThing& thing, bool by_address,
                                           bool finished) const;
  /// Returns whether `source`, or a definition with the original node, has lost the thing.
  bool was_lost(const ShadowNode& node, const ShadowThing& thing, const ShadowGraph* source) const;
  /// Returns whether a captured launch uses it.
  bool is_captured(const ShadowThing& thing) const;
  bool leads_to(const ShadowThing& from, const ShadowThing& to, std::uint32_t depth) const;

  const ShadowRecords& records_;
};

}  // namespace scenarios::graph_argument
