// Bindings: whether an op that answered ok bound what it was given, and nothing else.
#pragma once

#include "scenarios/argpack/attempt.h"

namespace scenarios::argpack {

/// Asked where nobody but the op was at work: what its variables refer to is what it was given. A
/// pack brings those nested in it and, to a call without an array, its array; an array brings its
/// gradient, where the op binds that too.
bool bound_as_given(const Attempt& attempt, const Model& model);

}  // namespace scenarios::argpack
