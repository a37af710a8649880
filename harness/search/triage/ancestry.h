// SPDX-License-Identifier: Apache-2.0
// Ancestry: from which activations others originate. Names of activations are the same in all
// schedules.
#pragma once

#include <unordered_map>
#include <vector>

#include "harness/core/history/history.h"

namespace harness::triaging {

/// Reads the history incrementally as it grows. Ownership: borrows the history of one run.
class Ancestry {
 public:
  explicit Ancestry(const History& history) : history_(history) {}

  /// Forgets the previous run.
  void begin();
  /// Returns whether an activation is or originates from another one.
  bool comes_from(Name activation, Name ancestor);
  /// Returns an activation, preceded by those from which it originates.
  std::vector<Name> line(Name activation);

 private:
  Name parent(Name activation);

  const History& history_;
  std::size_t read_count_ = 0;
  std::unordered_map<Name, Name> parents_;
};

}  // namespace harness::triaging
