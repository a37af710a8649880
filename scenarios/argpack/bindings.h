// SPDX-License-Identifier: Apache-2.0
// Bindings: checks whether an op that returned ok bound its arguments, and nothing else.
#pragma once

#include "scenarios/argpack/attempt.h"

namespace scenarios::argpack {

/// Returns whether it did. Called only if no other op ran, so that its variables still refer to its
/// arguments. A pack also binds its nested packs and, in a call without an array, its array; an
/// array also binds its gradient, if the op does that.
bool bound_as_given(const Attempt& attempt, const Model& model);

}  // namespace scenarios::argpack
