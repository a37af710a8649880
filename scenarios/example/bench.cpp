// bench_example: what a whole run costs: `plain`, then by the number of ops and of tasks.
#include <benchmark/benchmark.h>

#include "harness/entries/bench_path.h"
#include "scenarios/example/programs.h"

namespace scenarios::example {

extern const harness::Scenario scenario;

namespace {

void measure(benchmark::State& state, void (*drive)(harness::Scene&), const Program& program) {
  harness::entries::measure(state, harness::entries::driven_by(scenario, drive), "retain",
                            "stream=own", program.tape());
}

void plain(benchmark::State& state) { measure(state, drive, plain_program()); }

// `ops/N`: N requests, each waited for.
constexpr std::uint32_t kOpLimit = 64;
void drive_long(harness::Scene& scene) { drive_shaped(scene, {.user_slots = kOpLimit}); }
void ops(benchmark::State& state) {
  Program program;
  for (std::int64_t i = 0; i < state.range(0); ++i) program.then(0, Op::query);
  measure(state, drive_long, program);
}

// `tasks/N`: the user, and N-1 owners that each put twice.
template <std::uint32_t task_count>
void tasks(benchmark::State& state) {
  Program program = plain_program();
  for (std::uint32_t task = 1; task < task_count; ++task)
    program.then(task, Op::put).then(task, Op::put);
  measure(
      state, [](harness::Scene& scene) { drive_shaped(scene, {.owner_count = task_count - 1}); },
      program);
}

BENCHMARK(plain)->Name("plain");
BENCHMARK(ops)->Name("ops")->RangeMultiplier(2)->Range(1, kOpLimit);
const bool registered = harness::entries::register_tasks<2, 4, 8, 12, 16>(
    []<std::uint32_t count>(benchmark::State& state) { tasks<count>(state); });

}  // namespace
}  // namespace scenarios::example
