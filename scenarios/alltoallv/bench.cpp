// bench_alltoallv: what a whole run costs: `plain`; by the number of ops and of tasks, where the
// work is proportional to it; and `ranks/N/collectives/M`, with the turns of a run as a counter.
#include <benchmark/benchmark.h>

#include "harness/run.h"
#include "scenarios/alltoallv/programs.h"

namespace scenarios::alltoallv {

extern const harness::Scenario scenario;

namespace {

using harness::Config;
using harness::Scene;

std::size_t variant_named(std::string_view name) {
  for (std::size_t i = 0; i < scenario.variants.size(); ++i)
    if (scenario.variants[i].name.view() == name) return i;
  HARNESS_CHECK(false, "the table of variants has it");
}

/// Replays the tape again and again, on the simulated device.
void measure(benchmark::State& state, const harness::Scenario& shaped, const char* config,
             const harness::Tape& tape) {
  harness::Runner runner;
  const harness::Case the_case{&shaped, variant_named("snapshot_region"),
                               harness::parse_config(shaped, config),
                               harness::find(harness::tables::devices(), "sim"), tape};
  double turns = 0;
  for (auto _ : state) {
    const harness::Outcome& outcome = runner.run(the_case);
    turns = static_cast<double>(outcome.turns);
    if (outcome.failed() || outcome.vacuous) {
      state.SkipWithError(outcome.failed() ? outcome.faults[0].signature().c_str() : "vacuous");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["turns"] = turns;
}

harness::Scenario shaped(void (*drive)(Scene&)) {
  harness::Scenario other = scenario;
  other.drive = drive;
  return other;
}

Program alltoallvs(std::int64_t count) {
  Program program;
  for (std::int64_t i = 0; i < count; ++i)
    program.then(Op::alltoallv, {static_cast<std::uint32_t>(i % 2)});
  return program;
}

void plain(benchmark::State& state) {
  measure(state, scenario, "C=8 ranks=2", plain_program().tape());
}

// `ops/N`: N collectives of two ranks, each waited for.
void drive_blocking(Scene& scene) {
  drive_shaped(scene, {.slots = kSlotCountLimit, .blocking = true});
}
void ops(benchmark::State& state) {
  measure(state, shaped(drive_blocking), "C=8 ranks=2", alltoallvs(state.range(0)).tape());
}

// `tasks/N`: the launcher, two ranks, and N - 3 progress threads, over four collectives.
template <std::uint32_t thread_count>
void drive_threaded(Scene& scene) {
  drive_shaped(scene, {.slots = 4, .blocking = true, .thread_count = thread_count});
}
template <std::uint32_t task_count>
void tasks(benchmark::State& state) {
  measure(state, shaped(drive_threaded<(task_count - 3) / 2>), "C=8 ranks=2", alltoallvs(4).tape());
}
template <std::uint32_t... counts>
bool register_tasks() {
  (benchmark::RegisterBenchmark(("tasks/" + std::to_string(counts)).c_str(), tasks<counts>), ...);
  return true;
}

// `ranks/N/collectives/M`: M collectives outstanding at once.
void drive_long(Scene& scene) { drive_shaped(scene, {.slots = kSlotCountLimit}); }
bool register_scale() {
  for (const std::int64_t ranks : {2, 3, 4, 6, 8})
    for (const std::int64_t collectives : {1, 2, 4, 8, 16, 32})
      benchmark::RegisterBenchmark(
          ("ranks/" + std::to_string(ranks) + "/collectives/" + std::to_string(collectives))
              .c_str(),
          [=](benchmark::State& state) {
            const std::string config = "C=8 ranks=" + std::to_string(ranks);
            measure(state, shaped(drive_long), config.c_str(), alltoallvs(collectives).tape());
          });
  return true;
}

BENCHMARK(plain)->Name("plain");
BENCHMARK(ops)->Name("ops")->RangeMultiplier(2)->Range(1, kSlotCountLimit);
const bool registered = register_tasks<3, 5, 7, 11, 15>() && register_scale();

}  // namespace
}  // namespace scenarios::alltoallv
