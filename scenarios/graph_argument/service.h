// SPDX-License-Identifier: Apache-2.0
// Service: a call does its work, unless an injected error could have affected it, or a refusal is
// documented for its situation.
#pragma once

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// A status that the path may return. The model knows whether its situation holds.
struct Refusal {
  std::string_view ops;  ///< Names of the ops.
  targets::graph_argument::Status status;
  bool (*allowed)(const Model& model, const Call& call);
  std::string_view source;
};
std::span<const Refusal> refusals();

/// Reports that a named handle belongs to another graph by now.
void report_reused_handle(harness::Scene& scene);

/// Judges a status. Called before the model forgets the call.
void judge_answer(harness::Scene& scene, const Model& model, const Call& call,
                  targets::graph_argument::Status status);

/// Judges that launched and awaited work has run: every kernel and set; at the end, with the device
/// idle, exactly that, and every copy.
void judge_runs(harness::Scene& scene, const Model& model, bool at_end);

}  // namespace scenarios::graph_argument
