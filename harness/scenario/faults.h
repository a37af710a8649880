// SPDX-License-Identifier: Apache-2.0
// Faults that the judges of a scenario find, filled in as far as that is the same for all of them.
#pragma once

#include <string>

#include "harness/scenario.h"

namespace harness {

/// Returns a fault found now, at the current site and in the current activation.
Fault fault_here(Scene& scene, FaultKind kind, Label object_kind, std::string detail = {});

/// Returns the retention of what is there for too long: in the activation of its birth, at no site.
Fault retention_of(const Scene& scene, const Life& life, std::string detail);

}  // namespace harness
