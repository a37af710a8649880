// SPDX-License-Identifier: Apache-2.0
// bench_gpu: measures the paths' kernels on a GPU by CUDA events, and prints the times as Google
// Benchmark does. One iteration is one sample (gpu.h) that counts (sampling.h).
//
// Exit: 0 measured, 2 there is no GPU, or it cannot be measured; a line on stderr says which.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <deque>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "harness/fuzz/bench_gpu/workloads.h"

namespace harness::entries {

namespace {

constexpr int kSamples = 20;

/// A workload that is prepared on its first submission.
class Prepared {
 public:
  Prepared(Gpu& gpu, Workload workload) : gpu_(gpu), workload_(std::move(workload)) {}

  const std::string& name() const { return workload_.name; }
  void submit() {
    if (!submit_) submit_ = workload_.prepare(gpu_);
    submit_();
  }

 private:
  Gpu& gpu_;
  Workload workload_;
  std::function<void()> submit_;
};

void measure(benchmark::State& state, Gpu& gpu, Prepared& work) {
  work.submit();  // The first launch may load it, while no stream may be blocked.
  gpu.wait();
  Sampling sampling(
      {.nominal_hz = gpu.nominal_hz()}, [&] { return gpu.sample([&] { work.submit(); }); },
      [](std::chrono::milliseconds pause) { std::this_thread::sleep_for(pause); });
  for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(sampling.next());
  // A label, because the statistics of a counter that is always 0 would print NaN, which is not
  // JSON.
  if (sampling.dropped() > 0) state.SetLabel(std::to_string(sampling.dropped()) + " dropped");
  state.counters["clock_hz"] = sampling.mean_hz();
}

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 3;
  const std::vector<Workload> all = workloads();
  if (all.empty()) throw std::runtime_error("built without nvcc: no kernels for the GPU");
  Gpu gpu;
  std::deque<Prepared> works;
  for (const Workload& workload : all) {
    Prepared& work = works.emplace_back(gpu, workload);
    benchmark::RegisterBenchmark(work.name().c_str(),
                                 [&](benchmark::State& state) { measure(state, gpu, work); })
        ->UseManualTime()
        ->Iterations(kSamples);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

}  // namespace harness::entries

int main(int argc, char** argv) {
  try {
    return harness::entries::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_gpu: %s\n", error.what());
    return 2;
  }
}
