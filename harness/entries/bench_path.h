// The common part of the paths' benchmarks: a case is run again and again, and must hold.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "harness/run.h"
#include "harness/tables.h"

namespace harness::entries {

/// Replays `tape` on the simulated device: items are runs, and `turns` are those of one run.
inline void measure(benchmark::State& state, const Scenario& scenario, const char* variant,
                    const std::string& config, const Tape& tape) {
  Runner runner;
  const Case the_case{&scenario, variant_named(scenario, variant), parse_config(scenario, config),
                      find(tables::devices(), "sim"), tape};
  double turns = 0;
  for (auto _ : state) {
    const Outcome& outcome = runner.run(the_case);
    turns = static_cast<double>(outcome.turns);
    if (outcome.failed() || outcome.vacuous) {
      state.SkipWithError(outcome.failed() ? outcome.faults[0].signature().c_str() : "vacuous");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["turns"] = turns;
}

/// The scenario with another driver: more slots, or more tasks.
inline Scenario driven_by(const Scenario& scenario, void (*drive)(Scene&)) {
  Scenario other = scenario;
  other.drive = drive;
  return other;
}

/// Registers `tasks/N` for each of these numbers of tasks; `measure_tasks<N>(state)` measures one.
template <std::uint32_t... counts, class MeasureTasks>
bool register_tasks(MeasureTasks measure_tasks) {
  (benchmark::RegisterBenchmark(
       ("tasks/" + std::to_string(counts)).c_str(),
       [=](benchmark::State& state) { measure_tasks.template operator()<counts>(state); }),
   ...);
  return true;
}

}  // namespace harness::entries
