// bench_managed_dict: what a whole run costs: `plain`, then by the number of ops and of tasks.
#include <benchmark/benchmark.h>

#include "harness/entries/bench_path.h"
#include "scenarios/managed_dict/programs.h"

namespace scenarios::managed_dict {

extern const harness::Scenario scenario;

namespace {

using harness::Scene;

void measure(benchmark::State& state, const harness::Scenario& shaped, const harness::Tape& tape) {
  harness::entries::measure(state, shaped, "stock", "layout=cpython312 compiler=inline", tape);
}

harness::Scenario shaped(void (*drive)(Scene&)) {
  return harness::entries::driven_by(scenario, drive);
}

// `ops/N`: one instance, then N attribute stores by compiled code.
constexpr std::uint32_t kOpLimit = 64;
void drive_long(Scene& scene) {
  drive_shaped(scene, {.worker_count = 1, .script_slots = kOpLimit + 1});
}

void plain(benchmark::State& state) { measure(state, scenario, plain_program().tape()); }

void ops(benchmark::State& state) {
  Program program;
  program.script(Op::new_instance);
  for (std::int64_t i = 0; i < state.range(0); ++i) program.script(Op::store_attr);
  measure(state, shaped(drive_long), program.tape());
}

// `tasks/N`: the script, and N-1 workers that each run a nested block.
template <std::uint32_t task_count>
void drive_wide(Scene& scene) {
  drive_shaped(scene, {.worker_count = task_count - 1, .script_slots = 4, .worker_slots = 2});
}

template <std::uint32_t task_count>
void tasks(benchmark::State& state) {
  Program program;
  program.script(Op::with_block, {1});
  for (std::uint32_t task = 1; task < task_count; ++task) program.then(task, Op::with_block, {1});
  measure(state, shaped(drive_wide<task_count>), program.tape());
}

BENCHMARK(plain)->Name("plain");
BENCHMARK(ops)->Name("ops")->RangeMultiplier(2)->Range(1, kOpLimit);
const bool registered = harness::entries::register_tasks<2, 4, 8, 12, 16>(
    []<std::uint32_t count>(benchmark::State& state) { tasks<count>(state); });

}  // namespace
}  // namespace scenarios::managed_dict
