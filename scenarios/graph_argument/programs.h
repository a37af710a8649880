// SPDX-License-Identifier: Apache-2.0
// Programs: tapes put together op by op, for benchmarks, properties and tests.
#pragma once

#include "harness/scenario/program.h"
#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

using Program = harness::ScenarioProgram<Op, kOps>;

/// The documented ordinary use: a kernel node over the buffer that every script begins with, an
/// executable, a launch that is waited for.
inline Program plain_program() {
  return Program()
      .script(Op::add_kernel)
      .script(Op::instantiate)
      .script(Op::launch)
      .script(Op::synchronize);
}

}  // namespace scenarios::graph_argument
