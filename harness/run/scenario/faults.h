// SPDX-License-Identifier: Apache-2.0
// Helpers for the judges of a scenario: fill in the common fields of faults.
#pragma once

#include <string>

#include "harness/run/scenario/scenario.h"

namespace harness {

/// Returns a fault found now, at the current site and in the current activation.
Fault fault_here(Scene& scene, FaultKind kind, Label object_kind, std::string detail = {});

/// Returns the leak of `life`, in the activation of its birth, without a site.
Fault retention_of(const Scene& scene, const Life& life, std::string detail);

}  // namespace harness
