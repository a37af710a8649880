// SPDX-License-Identifier: Apache-2.0
// The common part of the paths' benchmarks: runs a case repeatedly, and checks that it holds.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>

#include "harness/run/run.h"
#include "harness/run/tables.h"

namespace harness::entries {

/// Replays `tape` on the simulated device. Items are runs; `turns` is the number of turns of one
/// run.
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

/// The default numbers of tasks.
using UsualTaskCounts = std::integer_sequence<std::uint32_t, 2, 4, 8, 12, 16>;

/// Measures runs that `Path::drive` drives in the shape that `shape_of()` returns. The shape is a
/// template argument because a scenario's driver is a function pointer without state.
template <class Path, auto shape_of>
void measure_shaped(benchmark::State& state, const Tape& tape) {
  Scenario shaped = Path::scenario();
  shaped.drive = [](Scene& scene) { Path::drive(scene, shape_of()); };
  measure(state, shaped, Path::kVariant, Path::kConfig, tape);
}

/// Registers `tasks/N` for each N of `counts`, which register_path() describes.
template <class Path, std::uint32_t... counts>
void register_tasks(std::integer_sequence<std::uint32_t, counts...>) {
  (benchmark::RegisterBenchmark(("tasks/" + std::to_string(counts)).c_str(),
                                [](benchmark::State& state) {
                                  measure_shaped<Path, [] { return Path::tasks_shape(counts); }>(
                                      state, Path::tasks(counts).tape());
                                }),
   ...);
}

/// Registers the benchmarks of a path: `plain`, its ordinary use; `ops/N`, by number of ops; and
/// `tasks/N`, by number of tasks. `Path` has:
///   kVariant, kConfig       what is measured
///   kOpLimit                the largest number of ops
///   scenario()              the path's
///   drive(scene, shape)     its driver, for runs of another shape
///   plain()                 the program of its ordinary use
///   ops(N), ops_shape()     a program of N ops, and a shape with room for the largest
///   tasks(N), tasks_shape(N)  a program of N tasks, and its shape
template <class Path, class TaskCounts = UsualTaskCounts>
bool register_path() {
  benchmark::RegisterBenchmark("plain", [](benchmark::State& state) {
    measure(state, Path::scenario(), Path::kVariant, Path::kConfig, Path::plain().tape());
  });
  benchmark::RegisterBenchmark("ops",
                               [](benchmark::State& state) {
                                 const auto count = static_cast<std::uint32_t>(state.range(0));
                                 measure_shaped<Path, Path::ops_shape>(state,
                                                                       Path::ops(count).tape());
                               })
      ->RangeMultiplier(2)
      ->Range(1, Path::kOpLimit);
  register_tasks<Path>(TaskCounts{});
  return true;
}

}  // namespace harness::entries
