// SPDX-License-Identifier: Apache-2.0
// Programs: tapes built op by op, for benchmarks and tests.
#pragma once

#include "harness/run/scenario/program.h"
#include "scenarios/example/scenario.h"

namespace scenarios::example {

using Program = harness::ScenarioProgram<Op, kOps>;

/// Returns the usual program: a request and its answer.
inline Program plain_program() { return Program().then(0, Op::query); }

}  // namespace scenarios::example
