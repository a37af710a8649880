// SPDX-License-Identifier: Apache-2.0
// The cost of provenance: the path's checked kernels, compared with the same source compiled here
// without checks, on the same runner; and launches of up to a million CUDA threads. Asserts that
// both compute the same; prints the ratio that scenarios/graph_argument/figures.py judges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "harness/devices/tests/kernels/kernel_stage.h"

extern "C" const harness::KernelImage afterlife_kernels_graph_argument;

// The kernels without checks. Included last, because the shim's macros are for kernels.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wshadow"
#include "harness/devices/sim/kernel.h"
#pragma clang diagnostic pop
#undef AFTERLIFE_KERNELS
#define AFTERLIFE_KERNELS(path, ...)                        \
  static constexpr harness::KernelEntry plain_entries[] = { \
      AFTERLIFE_EXPAND(AFTERLIFE_ENTRIES(__VA_ARGS__))};
#include "targets/graph_argument/kernel.cu"

namespace scenarios::graph_argument::testing {
namespace {

using harness::devices::Dim3;
using harness::testing::KernelStage;

const harness::KernelImage kPlain{harness::kKernelImageMagic, "plain", plain_entries,
                                  std::size(plain_entries)};

class Cost : public ::testing::Test {
 protected:
  Cost() : x_(stage_.memory.allocate<Block>(1)), y_(stage_.memory.allocate<Block>(1)) {
    for (int i = 0; i < kWords; ++i) {
      x_->in[i] = i;
      y_->in[i] = 100 + i;
    }
  }

  void reduce(const harness::KernelImage& image, Dim3 grid = {2, 1, 1}) {
    stage_.run(image, "block_sum", grid, {32, 1, 1}, x_, y_);
  }
  void saxpy(const harness::KernelImage& image, Dim3 grid = {2, 1, 1}) {
    stage_.run(image, "saxpy", grid, {32, 1, 1}, 1.5f, x_, y_);
  }

  /// Returns the processor time, because the machine may be shared.
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  template <class Run>
  static double seconds(Run run) {
    const double start = now();
    run();
    return now() - start;
  }

  /// Returns the ratio of the fastest of several alternating runs.
  template <class Run>
  double ratio(Run run) {
    double checked = 1e9;
    double plain = 1e9;
    for (int round = 0; round < 25; ++round) {
      plain = std::min(plain, seconds([&] { run(kPlain); }));
      checked = std::min(checked, seconds([&] { run(afterlife_kernels_graph_argument); }));
    }
    return checked / plain;
  }

  std::vector<int> out() const { return {y_->out, y_->out + kWords}; }

  KernelStage stage_;
  Block* x_;
  Block* y_;
};

TEST_F(Cost, BothCompilationsComputeTheSame) {
  for (const bool reduces : {true, false}) {
    const auto run = [&](const harness::KernelImage& image) {
      std::fill_n(y_->out, kWords, 0);
      reduces ? reduce(image) : saxpy(image);
      return out();
    };
    const std::vector<int> plain = run(kPlain);
    EXPECT_EQ(run(afterlife_kernels_graph_argument), plain);
    EXPECT_NE(plain, std::vector<int>(kWords, 0));
  }
  EXPECT_TRUE(stage_.faults().empty());
}

TEST_F(Cost, MeasuresProvenanceOnAReductionAndOnSaxpy) {
  constexpr Dim3 kGrid{400, 1, 1};
  std::printf("provenance block_sum %.3f\n",
              ratio([&](const harness::KernelImage& image) { reduce(image, kGrid); }));
  std::printf("provenance saxpy %.3f\n",
              ratio([&](const harness::KernelImage& image) { saxpy(image, kGrid); }));
  EXPECT_TRUE(stage_.faults().empty());
}

TEST_F(Cost, MeasuresAMillionThreads) {
  for (const std::uint32_t threads : {125'000u, 250'000u, 500'000u, 1'000'000u}) {
    const Dim3 grid{threads / 32, 1, 1};
    double least = 1e9;
    for (int round = 0; round < 3; ++round)
      least = std::min(least, seconds([&] { saxpy(afterlife_kernels_graph_argument, grid); }));
    std::printf("threads %u %.6f\n", threads, least);
  }
  EXPECT_TRUE(stage_.faults().empty());
}

}  // namespace
}  // namespace scenarios::graph_argument::testing
