// SPDX-License-Identifier: Apache-2.0
// Divergence: the first point at which the run of one build behaves differently from the same run
// of another build. If the builds differ in one place, that is in the function reported here, or
// this function was the first whose behaviour depended on it.
//
// Source: the first divergence of two aligned executions, as in differential slicing (Johnson et
// al., 2011), https://doi.org/10.1109/SP.2011.41. Here the runs make equal choices, so they are
// aligned up to the divergence.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/flow/flow.h"

namespace harness {

struct Divergence {
  CodePlace decided;              ///< The place of the decision in the bad build; no function =
                                  ///< unknown.
  std::size_t in_common = 0;      ///< Number of equal edges before it.
  std::optional<FlowPoint> good;  ///< The next edge of the good run; none if it ends.
  std::optional<FlowPoint> bad;   ///< The next edge of the bad run; none if it ends.
  /// Last edges in functions whose results may have made the difference: the function that it had
  /// called last, the one that this had called last, and so on, at most four. If it had called
  /// none: the function that its caller had called last, and so on, whose result it may have
  /// received.
  std::vector<CodePlace> upon;
  bool is_handed_over = false;     ///< The function had called none, so `upon` is about its caller.
  std::vector<CodePlace> callers;  ///< Call sites of the function, innermost first.
};

/// Returns the first point at which two flows differ; none if they are equal.
std::optional<Divergence> divergence_of(const Flow& good, const Flow& bad);

}  // namespace harness
