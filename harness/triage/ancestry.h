// SPDX-License-Identifier: Apache-2.0
// Ancestry: which activations of a run others come from. Names say so on every schedule.
#pragma once

#include <unordered_map>
#include <vector>

#include "harness/history.h"

namespace harness::triaging {

/// Reads on in the history as it grows. Ownership: borrows the history of one run.
class Ancestry {
 public:
  explicit Ancestry(const History& history) : history_(history) {}

  /// Forgets the run before.
  void begin();
  /// Returns whether one activation is, or comes from, another.
  bool comes_from(Name activation, Name ancestor);
  /// Returns an activation after those that it comes from.
  std::vector<Name> line(Name activation);

 private:
  Name parent(Name activation);

  const History& history_;
  std::size_t read_count_ = 0;
  std::unordered_map<Name, Name> parents_;
};

}  // namespace harness::triaging
