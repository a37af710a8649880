// SPDX-License-Identifier: Apache-2.0
// Bindings: whether an op that returned ok bound what it was given, and nothing else.
#pragma once

#include "scenarios/argpack/attempt.h"

namespace scenarios::argpack {

/// Used if only the op was at work, so that its variables still refer to its arguments. A pack
/// brings those nested in it and, to a call without an array, its array; an array brings its
/// gradient, if the op binds that too.
bool bound_as_given(const Attempt& attempt, const Model& model);

}  // namespace scenarios::argpack
