// SPDX-License-Identifier: Apache-2.0
// ModelValues: the possible contents of a block: the reference model of each node's result.
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
  /// Returns whether `observed` is possible in element `index` of buffer.out after this many waits.
  /// `expected` is the best guess, and `what` names its node; `writer` is the node if its result
  /// matches.
  bool explains(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                std::int32_t observed, std::int32_t& expected, harness::Label& what,
                const ModelNode*& writer) const;
  /// Returns the index of the first element, from `begin` on, that is not the node's result for its
  /// target, or the number of elements.
  static std::uint32_t first_other(const ModelNode& writer, std::span<const std::int32_t> elements,
                                   std::uint32_t begin);
  /// Returns whether a launch has written the buffer's `mid`.
  bool produced(const Thing& buffer) const;
  bool explains_mid(const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                    std::int32_t observed) const;
  /// Returns whether the buffer's `next` may hold the address.
  bool explains_next(const Thing& buffer, std::uint64_t observed) const;

 private:
  const harness::Ledger& ledger_;
  const ModelRuns& runs_;
};

}  // namespace scenarios::graph_argument
