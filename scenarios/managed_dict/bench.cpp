// SPDX-License-Identifier: Apache-2.0
// bench_managed_dict: cost of a whole run: `plain`, then by the number of ops and of tasks.
#include "harness/fuzz/bench_path.h"
#include "scenarios/managed_dict/programs.h"

namespace scenarios::managed_dict {

extern const harness::Scenario scenario;

namespace {

/// See harness::entries::register_path.
struct Bench {
  static constexpr const char* kVariant = "stock";
  static constexpr const char* kConfig = "layout=cpython312 compiler=inline";
  static constexpr std::uint32_t kOpLimit = 64;
  static const harness::Scenario& scenario() { return managed_dict::scenario; }
  static void drive(harness::Scene& scene, const Shape& shape) { drive_shaped(scene, shape); }
  static Program plain() { return plain_program(); }

  // `ops/N`: one instance, then N attribute stores by compiled code.
  static Shape ops_shape() { return {.worker_count = 1, .script_slots = kOpLimit + 1}; }
  static Program ops(std::uint32_t count) {
    Program program;
    program.script(Op::new_instance);
    for (std::uint32_t i = 0; i < count; ++i) program.script(Op::store_attr);
    return program;
  }

  // `tasks/N`: the script, and N-1 workers that each run a nested block.
  static Shape tasks_shape(std::uint32_t count) {
    return {.worker_count = count - 1, .script_slots = 4, .worker_slots = 2};
  }
  static Program tasks(std::uint32_t count) {
    Program program;
    for (std::uint32_t task = 0; task < count; ++task) program.then(task, Op::with_block, {1});
    return program;
  }
};

const bool registered = harness::entries::register_path<Bench>();

}  // namespace
}  // namespace scenarios::managed_dict
