// SPDX-License-Identifier: Apache-2.0
// Refuse: a call does its work, unless an injected error could have affected it, or a refusal is
// documented for its situation.
#pragma once

#include "harness/run/scenario/ops.h"
#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// A status that the path may return. The model knows whether its situation holds.
struct Refusal {
  targets::graph_argument::Status status;
  harness::Ops ops;    ///< Ops that may return it.
  std::size_t loaded;  ///< Number of objects that the call must have loaded.
  bool (*allowed)(const Model& model, const Call& call);
  std::string_view source;
};
std::span<const Refusal> refusals();

/// Returns whether a documented refusal allows the status.
bool may_refuse(const Model& model, const Call& call, targets::graph_argument::Status status);
/// Returns whether the path may say that the variable's builder is capturing, or is not.
bool may_say_capturing(const Model& model, Variable variable, bool said);

/// Returns whether an ended object had been used by then, other than by a caller error. Afterwards
/// it is unknown who holds what, and later faults may be consequences.
bool went_wrong(const Model& model, harness::Tick by);

}  // namespace scenarios::graph_argument
