// SPDX-License-Identifier: Apache-2.0
// bench_example: cost of a whole run: `plain`, then by the number of ops and of tasks.
#include "harness/fuzz/bench_path.h"
#include "scenarios/example/programs.h"

namespace scenarios::example {

extern const harness::Scenario scenario;

namespace {

/// See harness::entries::register_path.
struct Bench {
  static constexpr const char* kVariant = "retain";
  static constexpr const char* kConfig = "stream=own";
  static constexpr std::uint32_t kOpLimit = 64;
  static const harness::Scenario& scenario() { return example::scenario; }
  static void drive(harness::Scene& scene, const Shape& shape) { drive_shaped(scene, shape); }
  static Program plain() { return plain_program(); }

  // `ops/N`: N requests. Each is waited for before the next.
  static Shape ops_shape() { return {.user_slots = kOpLimit}; }
  static Program ops(std::uint32_t count) {
    Program program;
    for (std::uint32_t i = 0; i < count; ++i) program.then(0, Op::query);
    return program;
  }

  // `tasks/N`: the user, and N-1 owners that each put twice.
  static Shape tasks_shape(std::uint32_t count) { return {.owner_count = count - 1}; }
  static Program tasks(std::uint32_t count) {
    Program program = plain_program();
    for (std::uint32_t task = 1; task < count; ++task)
      program.then(task, Op::put).then(task, Op::put);
    return program;
  }
};

const bool registered = harness::entries::register_path<Bench>();

}  // namespace
}  // namespace scenarios::example
