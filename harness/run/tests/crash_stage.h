// SPDX-License-Identifier: Apache-2.0
// Paths with one task and a given body, for tests of the state after a crash: the same runs again,
// in this process and in a fresh one.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/base/tests/child.h"
#include "harness/run/run.h"
#include "harness/run/tests/crasher_scenario.h"
#include "harness/run/tests/toy_scenario.h"

extern "C" {
extern const harness::KernelImage afterlife_kernels_crash;
}

namespace harness::testing::crash_stage {

inline const DeviceInfo& sim() { return *find(tables::devices(), "sim"); }

inline std::unique_ptr<Strategy> random_walk(std::uint64_t seed) {
  return find(tables::strategies(), "random_walk")->make(seed);
}

// ---- one task ----

/// Launches a kernel on three zeros, and returns the first of them afterwards.
inline int launch(const char* kernel) {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr numbers = 0;
  int result = -1;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoadData(&module, &afterlife_kernels_crash), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, kernel), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&numbers, 12), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(numbers, 0, 3), CUDA_SUCCESS);
  void* parameters[] = {&numbers};
  cuLaunchKernel(function, 2, 1, 1, 4, 1, 1, 0, nullptr, parameters, nullptr);
  cuMemcpyDtoH_v2(&result, numbers, sizeof(result));
  return result;
}

/// A path of one task that runs a given body.
template <void (*body)()>
Scenario path_of() {
  static constexpr VariantInfo kVariants[] = {{"only", {ClaimKind::sound, {}, false, ""}}};
  Scenario scenario{};
  scenario.name = "one_task";
  scenario.variants = kVariants;
  scenario.turn_limit = 1000;
  scenario.drive = [](Scene& scene) { scene.world().scheduler.spawn("task", [] { body(); }); };
  return scenario;
}

inline const Outcome& run(Runner& runner, const Scenario& scenario) {
  return runner.run({&scenario, 0, {}, &sim(), {}});
}

// ---- the same runs everywhere ----

/// Runs of every variant of every path: one line each, the same in every process.
inline std::string some_runs(Runner& runner) {
  std::ostringstream lines;
  const auto add = [&](const Scenario& scenario, std::size_t variant) {
    const std::size_t configs = config_count(scenario);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto walk = random_walk(seed);
      runner.run(scenario, variant, config_at(scenario, seed % configs), sim(), *walk);
      lines << "run " << scenario.name.view() << ' ' << variant << ' ' << runner.trace_hash()
            << '\n';
    }
  };
  for (const Scenario* scenario : tables::scenarios())
    for (std::size_t i = 0; i < scenario->variants.size(); ++i) add(*scenario, i);
  for (std::size_t i = 0; i < 4; ++i) add(toy::scenario, i);
  add(crasher::scenario, 0);
  return lines.str();
}

inline std::string runs_of_a_fresh_process() {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").filename();
  const std::vector<std::string> arguments{
      "--gtest_filter=CrashFreshProcess.DISABLED_PrintsItsRuns", "--gtest_also_run_disabled_tests"};
  const Ended ended =
      run_child(self, arguments, [] {  // All of its tests, whatever part this process runs.
        unsetenv("GTEST_TOTAL_SHARDS");
        unsetenv("GTEST_SHARD_INDEX");
      });
  std::istringstream in(ended.out);
  std::string runs;
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("run ")) runs += line + '\n';
  return runs;
}

}  // namespace harness::testing::crash_stage
