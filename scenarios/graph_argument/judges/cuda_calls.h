// SPDX-License-Identifier: Apache-2.0
// CUDA calls of a script's call, from the history alone, which neither the path nor the model
// writes.
#pragma once

#include "scenarios/graph_argument/model/call.h"

namespace scenarios::graph_argument {

struct CallsMade {
  /// The op's function was called successfully, or the op has none.
  bool asked_for = false;
  bool failed = false;  ///< A call failed, other than one that destroys an object or reads back.
  int pushed = 0;       ///< Contexts pushed and not popped.
};

/// Returns the calls of the call's task since it began.
CallsMade calls_made(const harness::History& history, const Call& call);

/// Judges, at the end and with no builder left, that each capture was ended exactly once.
void judge_captures(harness::Scene& scene);

}  // namespace scenarios::graph_argument
