// SPDX-License-Identifier: Apache-2.0
// Programs: tapes built op by op, for benchmarks, properties and tests.
#pragma once

#include "harness/run/scenario/program.h"
#include "scenarios/alltoallv/scenario.h"

namespace scenarios::alltoallv {

using Program = harness::ScenarioProgram<Op, kOps>;

/// Returns the usual program: one alltoallv, which each rank waits for.
inline Program plain_program() { return Program().script(Op::alltoallv); }

}  // namespace scenarios::alltoallv
