// SPDX-License-Identifier: Apache-2.0
// Refuse: the results other than ok that a call may or must have.
#pragma once

#include <optional>

#include "scenarios/argpack/model/attempt.h"
#include "scenarios/argpack/model/model.h"

namespace scenarios::argpack {

/// Returns the conditions that hold now, for everything that its variables refer to or did.
Cases cases_of(Attempt& attempt, const Model& model);

/// A result other than ok, and when it is allowed or required, as precisely as the model can tell.
struct Refusal {
  Uses uses;  ///< Concerns ops that use one of these; if it is kUsesNothing, all.
  targets::argpack::Status status;
  Cases due;              ///< One of these must have held.
  Cases required = 0;     ///< If one of these holds all the time, ok is not allowed.
  bool protects = false;  ///< Required only of variants that claim to be sound.
  std::string_view reason;
  std::optional<Window> keeps_out = {};  ///< The window that the script does not reach by it.

  bool concerns(const Attempt& attempt) const { return uses == kUsesNothing || attempt.uses(uses); }
};
std::span<const Refusal> refusals();

/// Returns whether an error was injected into a call of this op by the current task, or into an
/// earlier cuCtxSetCurrent of the task, which is not retried.
bool met_failure(const Attempt& attempt, const harness::World& world);

/// Returns whether an op that returned ok ignored an error in one of its own calls. Errors in calls
/// of finalizers do not count, nor do those at the end of a program, in a reset or in a call that
/// held its last reference.
bool ignored_failure(const Attempt& attempt, const harness::World& world);

}  // namespace scenarios::argpack
