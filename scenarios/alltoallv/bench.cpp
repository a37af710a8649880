// bench_alltoallv: what a whole run costs: `plain`; by the number of ops and of tasks, where the
// work is proportional to it; and `ranks/N/collectives/M`, with the turns of a run as a counter.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "harness/entries/bench_path.h"
#include "scenarios/alltoallv/programs.h"

namespace scenarios::alltoallv {

extern const harness::Scenario scenario;

namespace {

using harness::Scene;

void measure(benchmark::State& state, const harness::Scenario& shaped, const std::string& config,
             const harness::Tape& tape) {
  harness::entries::measure(state, shaped, "snapshot_region", config, tape);
}

harness::Scenario shaped(void (*drive)(Scene&)) {
  return harness::entries::driven_by(scenario, drive);
}

Program alltoallvs(std::int64_t count) {
  Program program;
  for (std::int64_t i = 0; i < count; ++i)
    program.script(Op::alltoallv, {static_cast<std::uint32_t>(i % 2)});
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
// `ranks/N/collectives/M`: M collectives outstanding at once, in a job of as many ops.
template <std::uint32_t collectives>
void drive_outstanding(Scene& scene) {
  drive_shaped(scene, {.slots = collectives});
}
template <std::uint32_t collectives>
void register_outstanding(int ranks) {
  benchmark::RegisterBenchmark(fmt::format("ranks/{}/collectives/{}", ranks, collectives).c_str(),
                               [ranks](benchmark::State& state) {
                                 measure(state, shaped(drive_outstanding<collectives>),
                                         fmt::format("C=8 ranks={}", ranks),
                                         alltoallvs(collectives).tape());
                               });
}
template <std::uint32_t... collectives>
bool register_scale() {
  for (const int ranks : {2, 3, 4, 6, 8}) (register_outstanding<collectives>(ranks), ...);
  return true;
}

BENCHMARK(plain)->Name("plain");
BENCHMARK(ops)->Name("ops")->RangeMultiplier(2)->Range(1, kSlotCountLimit);
const bool registered =
    harness::entries::register_tasks<3, 5, 7, 11, 15>(
        []<std::uint32_t count>(benchmark::State& state) { tasks<count>(state); }) &&
    register_scale<1, 2, 4, 8, 16, 32>();

}  // namespace
}  // namespace scenarios::alltoallv
