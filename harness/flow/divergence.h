// SPDX-License-Identifier: Apache-2.0
// Divergence: where the run of one build behaves differently than the same run of another build,
// for the first time. If the two builds differ in one place, that is in the function told here, or
// that function was the first to act on it.
//
// Source: the first divergence of two aligned executions, as in differential slicing (Johnson et
// al., 2011), https://doi.org/10.1109/SP.2011.41; here two runs of equal choices are aligned from
// their beginning to there by themselves.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/flow/flow.h"

namespace harness {

struct Divergence {
  CodePlace decided;              ///< Where, as the bad build has it; no function = no one knows.
  std::size_t in_common = 0;      ///< Edges before it.
  std::optional<FlowPoint> good;  ///< The edge that follows; none if the run ends.
  std::optional<FlowPoint> bad;   ///< The same.
  /// Last edges in functions whose answer may have made the difference: the one that it had called
  /// last, the one that this had called last, and so on, at most four. If it had called none: the
  /// one that its caller had called last, and so on, whose answer it may have been handed.
  std::vector<CodePlace> upon;
  bool is_handed_over = false;     ///< It had called none.
  std::vector<CodePlace> callers;  ///< If the function was called, innermost first.
};

/// Returns where two flows part; none if they are one.
std::optional<Divergence> divergence_of(const Flow& good, const Flow& bad);

}  // namespace harness
