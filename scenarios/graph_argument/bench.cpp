// SPDX-License-Identifier: Apache-2.0
// bench_graph_argument: cost of a whole run: `plain`, then by the number of ops and of tasks.
#include "harness/fuzz/bench_path.h"
#include "scenarios/graph_argument/programs.h"

namespace scenarios::graph_argument {

extern const harness::Scenario scenario;

namespace {

/// See harness::entries::register_path.
struct Bench {
  static constexpr const char* kVariant = "retain_per_node";
  static constexpr const char* kConfig = "default_stream=legacy";
  static constexpr std::uint32_t kOpLimit = 64;
  static const harness::Scenario& scenario() { return graph_argument::scenario; }
  static void drive(harness::Scene& scene, const Shape& shape) { drive_shaped(scene, shape); }
  static Program plain() { return plain_program(); }

  // `ops/N`: a graph with one kernel, then N launches of it.
  static Shape ops_shape() { return {.mutator_count = 1, .script_slots = kOpLimit + 2}; }
  static Program ops(std::uint32_t count) {
    Program program;
    program.script(Op::add_kernel).script(Op::instantiate);
    for (std::uint32_t i = 0; i < count; ++i) program.script(Op::launch);
    return program;
  }

  // `tasks/N`: the script, and N-1 mutators that each add a node and launch.
  static Shape tasks_shape(std::uint32_t count) {
    return {.mutator_count = count - 1, .script_slots = 4, .mutator_slots = 2};
  }
  static Program tasks(std::uint32_t count) {
    Program program;
    program.script(Op::add_kernel).script(Op::instantiate).script(Op::launch);
    for (std::uint32_t task = 1; task < count; ++task)
      program.then(task, Op::add_memset).then(task, Op::launch);
    return program;
  }
};

const bool registered = harness::entries::register_path<Bench>();

}  // namespace
}  // namespace scenarios::graph_argument
