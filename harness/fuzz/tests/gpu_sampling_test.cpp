// SPDX-License-Identifier: Apache-2.0
// Samples of a GPU: those that were taken while it was throttled do not count; and the benchmarks
// as a program, on our own driver.
#include "harness/fuzz/bench_gpu/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "harness/base/process/process.h"
#include "harness/devices/tests/cuda_stage.h"

namespace harness {
namespace {

using entries::GpuSample;
using entries::Sampling;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A GPU whose samples are known, and who waited for it how long.
class KnownGpu {
 public:
  explicit KnownGpu(std::vector<GpuSample> samples) : samples_(std::move(samples)) {}

  Sampling sampling(double nominal_hz) {
    return {{.nominal_hz = nominal_hz, .most_dropped_in_row = 3},
            [this] { return samples_.at(taken_++); },
            [this](std::chrono::milliseconds pause) { waited_ms_ += pause.count(); }};
  }
  std::size_t taken() const { return taken_; }
  long waited_ms() const { return waited_ms_; }

 private:
  std::vector<GpuSample> samples_;
  std::size_t taken_ = 0;
  long waited_ms_ = 0;
};

TEST(GpuSampling, WhatRanBelowThreeQuartersOfTheClockIsTakenAgainAfterAPause) {
  KnownGpu gpu({{1, 2e9}, {9, 1.49e9}, {9, 1e9}, {2, 1.5e9}});
  Sampling sampling = gpu.sampling(2e9);
  const std::vector<double> seconds{sampling.next(), sampling.next()};
  EXPECT_THAT(seconds, ElementsAre(1, 2));
  EXPECT_EQ(sampling.dropped(), 2u);
  EXPECT_EQ(gpu.waited_ms(), 100);
  EXPECT_DOUBLE_EQ(sampling.mean_hz(), 1.75e9);
}

TEST(GpuSampling, EverySampleCountsWhereTheDriverNamesNoClock) {
  KnownGpu gpu({{1, 1}, {2, 0}});
  Sampling sampling = gpu.sampling(0);
  sampling.next();
  EXPECT_EQ(sampling.next(), 2);
  EXPECT_EQ(sampling.dropped(), 0u);
}

TEST(GpuSampling, AGpuThatStaysThrottledIsGivenUpInALine) {
  KnownGpu gpu(std::vector<GpuSample>(9, {1, 0.5e9}));
  Sampling sampling = gpu.sampling(2e9);
  try {
    sampling.next();
    FAIL() << "it was not given up";
  } catch (const std::runtime_error& why) {
    EXPECT_THAT(why.what(), HasSubstr("the GPU is throttled: 3 samples in a row at less than 75 % "
                                      "of its clock, the last at 500 MHz of 2000"));
  }
  EXPECT_EQ(gpu.taken(), 3u);
}

TEST(GpuSampling, OnlyThoseInARowCountForThat) {
  KnownGpu gpu({{9, 1}, {9, 1}, {1, 2e9}, {9, 1}, {9, 1}, {2, 2e9}});
  Sampling sampling = gpu.sampling(2e9);
  sampling.next();
  EXPECT_EQ(sampling.next(), 2);
}

// ---- the program ----

class BenchGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    program_ = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bench_gpu";
    if (!std::filesystem::exists(program_)) GTEST_SKIP() << program_ << " is not built";
    if (!std::filesystem::exists(testing::own_libcuda())) GTEST_SKIP() << "no libcuda.so.1";
    if (afterlife_fatbin_conformance_size == 0) GTEST_SKIP() << "built without nvcc";
  }

  ProcessEnd run(const std::string& library, Command arguments) const {
    arguments.insert(arguments.begin(), program_);
    return run_process(arguments, {.environment = {"AFTERLIFE_LIBCUDA=" + library}}, never_);
  }

 private:
  std::string program_;
  std::atomic<bool> never_ = false;
};

TEST_F(BenchGpu, MeasuresAKernelAsOftenAsItSays) {
  const ProcessEnd ended =
      run(testing::own_libcuda(), {"--benchmark_format=json", "--benchmark_filter=walk_packs"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto rows = nlohmann::json::parse(ended.out)["benchmarks"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["iterations"], 20);
  EXPECT_FALSE(rows[0].contains("label")) << "none is dropped";
  EXPECT_NEAR(rows[0]["clock_hz"], 1.41e9, 0.05e9);
}

TEST_F(BenchGpu, HasNoFaultOfItsOwn) {
  const ProcessEnd listed = run(testing::own_libcuda(), {"--benchmark_list_tests"});
  EXPECT_THAT(listed.out, HasSubstr("driver/graph"));
  const ProcessEnd ended =
      run(testing::own_libcuda(), {"--benchmark_filter=argpack|driver|graph_argument"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, Not(HasSubstr("afterlife: ")));
}

TEST_F(BenchGpu, SaysInALineThatThereIsNoGpu) {
  const ProcessEnd ended = run("libnone.so.1", {"--benchmark_list_tests"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "bench_gpu: no CUDA driver: libnone.so.1 not found; install an NVIDIA "
            "driver or use --device sim\n");
}

}  // namespace
}  // namespace harness
