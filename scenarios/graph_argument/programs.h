// SPDX-License-Identifier: Apache-2.0
// Programs: tapes built op by op, for benchmarks, properties and tests.
#pragma once

#include "harness/run/scenario/program.h"
#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

using Program = harness::ScenarioProgram<Op, kOps>;

/// Returns the usual program: a kernel node for the buffer that every script starts with, an
/// executable, and a launch with a wait.
inline Program plain_program() {
  return Program()
      .script(Op::add_kernel)
      .script(Op::instantiate)
      .script(Op::launch)
      .script(Op::synchronize);
}

}  // namespace scenarios::graph_argument
