// SPDX-License-Identifier: Apache-2.0
// CUDA calls of a script's call, by the history alone: neither the path nor the model
// writes it.
#pragma once

#include "scenarios/graph_argument/call.h"

namespace scenarios::graph_argument {

struct CallsMade {
  /// The function that the op stands for was called, and well; or it stands for nothing.
  bool asked_for = false;
  bool failed = false;  ///< Something failed that was not to end a thing, nor to read it back.
  int pushed = 0;       ///< Contexts that were made current and not taken back.
};

/// By the task of the call, since it began.
CallsMade calls_made(const harness::History& history, const Call& call);

/// At the end, with no builder left: each capture that was begun was ended, once.
void judge_captures(harness::Scene& scene);

}  // namespace scenarios::graph_argument
