// bench_graph_argument: what a whole run costs: `plain`, then by the number of ops and of tasks.
#include <benchmark/benchmark.h>

#include "harness/entries/bench_path.h"
#include "scenarios/graph_argument/programs.h"

namespace scenarios::graph_argument {

extern const harness::Scenario scenario;

namespace {

using harness::Scene;

void measure(benchmark::State& state, const harness::Scenario& shaped, const harness::Tape& tape) {
  harness::entries::measure(state, shaped, "retain_per_node", "default_stream=legacy", tape);
}

harness::Scenario shaped(void (*drive)(Scene&)) {
  return harness::entries::driven_by(scenario, drive);
}

// `ops/N`: a graph with one kernel, then N launches of it.
constexpr std::uint32_t kOpLimit = 64;
void drive_long(Scene& scene) {
  drive_shaped(scene, {.mutator_count = 1, .script_slots = kOpLimit + 2});
}

void plain(benchmark::State& state) { measure(state, scenario, plain_program().tape()); }

void ops(benchmark::State& state) {
  Program program;
  program.script(Op::add_kernel).script(Op::instantiate);
  for (std::int64_t i = 0; i < state.range(0); ++i) program.script(Op::launch);
  measure(state, shaped(drive_long), program.tape());
}

// `tasks/N`: the script, and N-1 mutators that each add a node and launch.
template <std::uint32_t task_count>
void drive_wide(Scene& scene) {
  drive_shaped(scene, {.mutator_count = task_count - 1, .script_slots = 4, .mutator_slots = 2});
}

template <std::uint32_t task_count>
void tasks(benchmark::State& state) {
  Program program;
  program.script(Op::add_kernel).script(Op::instantiate).script(Op::launch);
  for (std::uint32_t task = 1; task < task_count; ++task)
    program.then(task, Op::add_memset).then(task, Op::launch);
  measure(state, shaped(drive_wide<task_count>), program.tape());
}

BENCHMARK(plain)->Name("plain");
BENCHMARK(ops)->Name("ops")->RangeMultiplier(2)->Range(1, kOpLimit);
const bool registered = harness::entries::register_tasks<2, 4, 8, 12, 16>(
    []<std::uint32_t count>(benchmark::State& state) { tasks<count>(state); });

}  // namespace
}  // namespace scenarios::graph_argument
