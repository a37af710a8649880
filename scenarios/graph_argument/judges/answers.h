// SPDX-License-Identifier: Apache-2.0
// Answers: judges whether a call did its work: by its status, by its CUDA calls, and by the work of
// the device.
#pragma once

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// Reports that a named handle belongs to another graph by now.
void report_reused_handle(harness::Scene& scene);

/// Reports that a call used another stream instead of a closed one.
void report_accepted_stream(harness::Scene& scene, std::string detail);

/// Judges a status. Called before the model forgets the call.
void judge_answer(Model& model, const Call& call, targets::graph_argument::Status status);

/// Judges that launched and awaited work has run: every kernel and set; at the end, with the device
/// idle, exactly that, and every copy.
void judge_runs(const Model& model, bool at_end);

}  // namespace scenarios::graph_argument
