// SPDX-License-Identifier: Apache-2.0
// The command line with toy paths, run as a child, and reproducers to hand to it.
#pragma once

#include "harness/base/tests/child.h"
#include "harness/run/tests/toy_scenario.h"
#include "harness/search/minimize/minimize.h"
#include "harness/search/reproducer/reproducer.h"

namespace harness::testing {

inline Ended run_toys(std::vector<std::string> arguments) {
  return run_child("afterlife_toys", std::move(arguments));
}

/// A case as the command line knows it: the toy path on the simulated device, which it does not
/// call.
inline Case toy_case(std::string_view variant, Tape tape, std::size_t config = 0) {
  return {&toy::scenario, variant_named(toy::scenario, variant), config_at(toy::scenario, config),
          find(tables::devices(), "sim"), std::move(tape)};
}

/// The case and the result of its run, as text.
inline std::string reproducer_text(const Case& the_case) {
  Runner runner;
  const Outcome& outcome = runner.run(the_case);
  return to_string(describe(runner, outcome, the_case));
}

/// A program: it records no run.
inline std::string program_text(const Case& the_case) {
  Reproducer program;
  program.the_case = the_case;
  return to_string(program);
}

/// The small program with the mutator between the user's two ops: there `borrow` fails.
inline Tape failing_tape() {
  Runner runner;
  const Proof proof = prove(runner, toy_case("borrow", toy::small_program()), 2, {});
  HARNESS_CHECK(proof.failed, "two decisions make the small program fail");
  return proof.failing.tape;
}

}  // namespace harness::testing
