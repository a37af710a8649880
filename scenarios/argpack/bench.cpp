// SPDX-License-Identifier: Apache-2.0
// bench_argpack: cost of a whole run: `plain`, then by the number of ops and of tasks.
#include "harness/fuzz/bench_path.h"
#include "scenarios/argpack/programs.h"

namespace scenarios::argpack {

extern const harness::Scenario scenario;

namespace {

/// See harness::entries::register_path.
struct Bench {
  static constexpr const char* kVariant = "own";
  static constexpr const char* kConfig = "backend=cuda_pool gil=on";
  static constexpr std::uint32_t kOpLimit = 64;
  static const harness::Scenario& scenario() { return argpack::scenario; }
  static void drive(harness::Scene& scene, const Shape& shape) { drive_shaped(scene, shape); }
  static Program plain() { return plain_program(); }

  // `ops/N`: one pack, then N calls.
  static Shape ops_shape() { return {.mutator_count = 1, .script_slots = kOpLimit + 1}; }
  static Program ops(std::uint32_t count) {
    Program program;
    program.script(Op::new_argpack);
    for (std::uint32_t i = 0; i < count; ++i) program.script(Op::call);
    return program;
  }

  // `tasks/N`: the script, and N-1 mutators that each change a scalar and launch.
  static Shape tasks_shape(std::uint32_t count) {
    return {.mutator_count = count - 1, .script_slots = 4, .mutator_slots = 2};
  }
  static Program tasks(std::uint32_t count) {
    Program program;
    program.script(Op::new_argpack).script(Op::set_scalar).script(Op::call);
    for (std::uint32_t task = 1; task < count; ++task)
      program.then(task, Op::set_scalar).then(task, Op::call);
    return program;
  }
};

const bool registered = harness::entries::register_path<Bench>();

}  // namespace
}  // namespace scenarios::argpack
