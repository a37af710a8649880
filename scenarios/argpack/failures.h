// SPDX-License-Identifier: Apache-2.0
// Failures: injected errors of CUDA calls, and the op that made the calls.
#pragma once

#include "scenarios/argpack/attempt.h"

namespace scenarios::argpack {

/// One of those that the current task made for this op; but a context that could not be made
/// current stays so for the task.
bool met_failure(const Attempt& attempt, const harness::World& world);

/// One of the op's own: those that its finalizers make are no one's business. Nor are those of a
/// program's end, in a reset or of a call that had it over one, which continues whatever they say.
/// To be asked of an op that answered ok.
bool ignored_failure(const Attempt& attempt, const harness::World& world);

}  // namespace scenarios::argpack
