// SPDX-License-Identifier: Apache-2.0
// Programs: tapes built op by op, for benchmarks, properties and tests.
#pragma once

#include "harness/run/scenario/program.h"
#include "scenarios/argpack/scenario.h"

namespace scenarios::argpack {

using Program = harness::ScenarioProgram<Op, kOps>;

/// Returns the usual program: a pack with a nested one, and a kernel that takes it and returns a
/// value.
inline Program plain_program() { return Program().script(Op::new_argpack).script(Op::call); }

}  // namespace scenarios::argpack
