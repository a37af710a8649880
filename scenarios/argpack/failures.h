// SPDX-License-Identifier: Apache-2.0
// Failures: errors injected into CUDA calls, and the op that made the calls.
#pragma once

#include "scenarios/argpack/attempt.h"

namespace scenarios::argpack {

/// Returns whether an error was injected into a call of this op by the current task, or into an
/// earlier cuCtxSetCurrent of the task, which is not retried.
bool met_failure(const Attempt& attempt, const harness::World& world);

/// Returns whether an op that returned ok ignored an error in one of its own calls. Errors in calls
/// of finalizers do not count, nor do those at the end of a program, in a reset or in a call that
/// held its last reference.
bool ignored_failure(const Attempt& attempt, const harness::World& world);

}  // namespace scenarios::argpack
