// SPDX-License-Identifier: Apache-2.0
// ModelValues: what a block may hold: the reference model of what each node leaves in its target.
#pragma once

#include <span>

#include "scenarios/graph_argument/model/runs.h"

namespace scenarios::graph_argument {

/// Ownership: borrows both.
class ModelValues {
 public:
  ModelValues(const harness::Ledger& ledger, const ModelRuns& runs)
      : ledger_(ledger), runs_(runs) {}

  /// Returns whether a launch has written to the buffer.
  bool written(const Thing& buffer) const;
  /// Returns whether `observed` may be in element `index` of buffer.out when this many waits were
  /// over. `expected` is what fits best, and `what` has left it; `writer` has, where its result is
  /// it.
  bool explains(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                std::int32_t observed, std::int32_t& expected, harness::Label& what,
                const ModelNode*& writer) const;
  /// Returns the first element, from `begin` on, that is not what the node leaves in the buffer
  /// that it writes to; or their count.
  static std::uint32_t first_other(const ModelNode& writer, std::span<const std::int32_t> elements,
                                   std::uint32_t begin);
  /// Returns whether a launch has written to its `mid`.
  bool produced(const Thing& buffer) const;
  bool explains_mid(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                    std::int32_t observed) const;
  /// Returns whether the buffer's block may name the address.
  bool explains_next(const Thing& buffer, std::uint64_t observed) const;

 private:
  const harness::Ledger& ledger_;
  const ModelRuns& runs_;
};

}  // namespace scenarios::graph_argument
