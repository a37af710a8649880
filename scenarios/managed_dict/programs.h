// SPDX-License-Identifier: Apache-2.0
// Programs: tapes built op by op, for benchmarks, properties and tests.
#pragma once

#include "harness/run/scenario/program.h"
#include "scenarios/managed_dict/scenario.h"

namespace scenarios::managed_dict {

/// Argument of force_compile on a tape.
inline constexpr std::uint32_t kCompileEnter = 2;

using Program = harness::ScenarioProgram<Op, kOps>;

/// Returns the usual program: the methods are compiled, then two nested blocks run.
inline Program plain_program() {
  return Program()
      .script(Op::force_compile, {kCompileEnter})
      .script(Op::with_block, {1})
      .script(Op::with_block, {1});
}

}  // namespace scenarios::managed_dict
