// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <set>

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/kernels/symbolize.h"
#include "harness/devices/tests/kernels/kernel_stage.h"

namespace harness {
namespace {

using testing::BlockEnding;
using testing::KernelStage;

struct Blocks : KernelStage {
  template <class... Parameters>
  BlockEnding run(std::string_view name, devices::Dim3 grid, devices::Dim3 block,
                  Parameters... parameters) {
    return KernelStage::run(afterlife_kernels_blocks, name, grid, block, parameters...);
  }
  /// Memory that holds 1, 2, 3, ...
  std::uint32_t* numbers(std::size_t count) {
    auto* block = memory.allocate(count);
    std::iota(block, block + count, 1u);
    return block;
  }
};

constexpr std::uint32_t sum_to(std::uint32_t last) { return last * (last + 1) / 2; }

TEST(KernelRunner, RunsAKernelWithoutBarriers) {
  Blocks blocks;
  auto* x = blocks.memory.allocate<float>(100);
  auto* y = blocks.memory.allocate<float>(100);
  for (int i = 0; i < 100; ++i) x[i] = static_cast<float>(i), y[i] = 1;
  EXPECT_EQ(blocks.run("saxpy", {2}, {64}, y, x, 2.0f, std::uint32_t{100}), BlockEnding::finished);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(y[i], static_cast<float>(2 * i + 1));
  EXPECT_TRUE(blocks.faults().empty());
}

TEST(KernelRunner, NumbersThreadsAndBlocksInThreeDimensions) {
  Blocks blocks;
  const devices::Dim3 grid{2, 3, 2};
  const devices::Dim3 block{4, 3, 5};
  auto* out = blocks.memory.allocate(grid.volume() * block.volume());
  blocks.run("where", grid, block, out);
  std::size_t i = 0;
  for (std::uint32_t b = 0; b < grid.volume(); ++b)
    for (std::uint32_t z = 0; z < block.z; ++z)
      for (std::uint32_t y = 0; y < block.y; ++y)
        for (std::uint32_t x = 0; x < block.x; ++x)
          ASSERT_EQ(out[i++], b << 16 | z << 12 | y << 6 | x);
}

TEST(KernelRunner, LaysOutParametersLikeNvcc) {
  const KernelEntry& saxpy = KernelStage::entry(afterlife_kernels_blocks, "saxpy");
  ASSERT_EQ(saxpy.parameter_count, 4u);
  EXPECT_EQ(saxpy.parameters[1].offset, 8u);
  EXPECT_EQ(saxpy.parameters[2].offset, 16u);
  EXPECT_EQ(saxpy.parameters[3].offset, 20u);
  EXPECT_EQ(saxpy.parameter_bytes, 24u);
}

TEST(KernelRunner, WaitsAtBarriers) {
  for (const std::uint32_t size : {1u, 2u, 33u, 128u, 256u, 1000u, 1024u}) {
    Blocks blocks;
    auto* in = blocks.numbers(2 * size);
    auto* out = blocks.memory.allocate(2);
    EXPECT_EQ(blocks.run("reduce", {2}, {size}, in, out), BlockEnding::finished);
    EXPECT_EQ(out[0], sum_to(size));
    EXPECT_EQ(out[1], sum_to(2 * size) - sum_to(size));
    EXPECT_TRUE(blocks.faults().empty());
  }
}

TEST(KernelRunner, GivesEachBlockDynamicSharedMemoryOfZeros) {
  Blocks blocks;
  auto* in = blocks.numbers(3 * 64);
  auto* out = blocks.memory.allocate(3);
  blocks.submit(afterlife_kernels_blocks, "reduce_dynamic", {3}, {64}, in, out);
  blocks.launch.shared_bytes = 64 * 4;
  EXPECT_EQ(blocks.KernelStage::run(), BlockEnding::finished);
  EXPECT_EQ(out[0] + out[1] + out[2], sum_to(3 * 64));
}

TEST(KernelRunner, ShufflesWithinWarps) {
  Blocks blocks;
  auto* in = blocks.numbers(128);
  auto* out = blocks.memory.allocate(4);
  EXPECT_EQ(blocks.run("reduce_warp", {2}, {64}, in, out), BlockEnding::finished);
  EXPECT_EQ(out[0], sum_to(32));
  EXPECT_EQ(out[3], sum_to(128) - sum_to(96));
}

TEST(KernelRunner, ExchangesByLane) {
  Blocks blocks;
  auto* out = blocks.memory.allocate(64 * 8);
  EXPECT_EQ(blocks.run("exchange", {}, {64}, out), BlockEnding::finished);
  std::uint32_t thirds = 0;
  for (int i = 0; i < 32; i += 3) thirds |= 1u << i;
  for (std::uint32_t thread = 0; thread < 64; ++thread) {
    const std::uint32_t lane = thread % 32;
    const std::uint32_t* mine = out + thread * 8;
    EXPECT_EQ(mine[0], 5u);
    EXPECT_EQ(mine[1], lane == 0 ? 0 : lane - 1);
    EXPECT_EQ(mine[2], lane ^ 3);
    EXPECT_EQ(mine[3], lane % 8 < 6 ? lane + 2 : lane);
    EXPECT_EQ(mine[4], thirds);
    EXPECT_EQ(mine[5], 2u);
    EXPECT_EQ(mine[6], 8u);
    EXPECT_EQ(mine[7], 2u);
  }
}

TEST(KernelRunner, IgnoresLanesOutsideTheMaskAndExitedThreads) {
  Blocks blocks;
  auto* out = blocks.memory.allocate(48);
  EXPECT_EQ(blocks.run("diverge", {}, {48}, out), BlockEnding::finished);
  EXPECT_EQ(out[0], 1003u);
  EXPECT_EQ(out[15], 3u);
  EXPECT_EQ(out[16], 20u);
  EXPECT_EQ(out[47], 35u);
}

TEST(KernelRunner, ReportsABlockThatWaitsForever) {
  Blocks blocks;
  auto* out = blocks.memory.allocate(32);
  EXPECT_EQ(blocks.run("wait_for_ever", {}, {32}, out), BlockEnding::aborted);
  ASSERT_EQ(blocks.faults().size(), 1u);
  EXPECT_EQ(blocks.faults()[0].kind, FaultKind::deadlock);
  EXPECT_EQ(blocks.faults()[0].use_site, Label("wait_for_ever"));
}

TEST(KernelRunner, PerformsAtomics) {
  Blocks blocks;
  auto* total = blocks.memory.allocate(1);
  auto* wide = blocks.memory.allocate<std::uint64_t>(1);
  auto* least = blocks.memory.allocate<int>(1);
  auto* most = blocks.memory.allocate<int>(1);
  *total = 0, *wide = 0, *least = 0, *most = 0;
  EXPECT_EQ(blocks.run("count_all", {4}, {100}, total, wide, least, most), BlockEnding::finished);
  EXPECT_EQ(*total, 400u);
  EXPECT_EQ(*wide, std::uint64_t{400} << 32);
  EXPECT_EQ(*least, -399);
  EXPECT_EQ(*most, 399);
}

TEST(KernelRunner, LetsAKernelReadItsConstantsAndItsStack) {
  Blocks blocks;
  auto* memory = blocks.memory.allocate(3);
  memory[0] = 3;
  EXPECT_EQ(blocks.run("look_up", {}, {2}, memory), BlockEnding::finished);
  EXPECT_EQ(memory[1], 36u);
  EXPECT_EQ(memory[2], 49u);
  EXPECT_TRUE(blocks.faults().empty());
}

TEST(KernelRunner, AbandonsABlockAndRunsTheNextOne) {
  Blocks blocks;
  auto* in = blocks.numbers(64);
  auto* out = blocks.memory.allocate(1);
  for (int i = 0; i < 20; ++i) {
    blocks.submit(afterlife_kernels_blocks, "reduce", {2}, {64}, in, out);
    EXPECT_EQ(blocks.runner.run_block(blocks.launch, 0), BlockEnding::finished);
    EXPECT_EQ(out[0], sum_to(64));
    EXPECT_EQ(blocks.runner.run_block(blocks.launch, 1),
              BlockEnding::aborted);  // Reads behind `in`.
  }
  EXPECT_EQ(blocks.faults().size(), 20u);
}

TEST(KernelRunner, StopsTheOtherThreadsOfAnAbortedBlock) {
  Blocks blocks;
  auto* in = blocks.numbers(32);
  auto* out = blocks.memory.allocate(1);
  out[0] = 77;
  EXPECT_EQ(blocks.run("reduce", {}, {64}, in, out), BlockEnding::aborted);
  EXPECT_EQ(out[0], 77u);
}

TEST(KernelRunner, RunsBlocksFromWithinATask) {
  Blocks blocks;
  auto* in = blocks.numbers(64);
  auto* out = blocks.memory.allocate(1);
  blocks.stage.scheduler.spawn("task", [&] { blocks.run("reduce", {}, {64}, in, out); });
  EXPECT_EQ(blocks.stage.scheduler.run(), Ending::finished);
  EXPECT_EQ(out[0], sum_to(64));
}

/// Returns the processor time of this thread alone, so that a busy machine changes little.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_for_threads(std::uint32_t count) {
  Blocks blocks;
  auto* x = blocks.memory.allocate<float>(count);
  auto* y = blocks.memory.allocate<float>(count);
  blocks.submit(afterlife_kernels_blocks, "saxpy", {count / 256}, {256}, y, x, 2.0f, count);
  const double start = thread_seconds();
  blocks.KernelStage::run();
  return thread_seconds() - start;
}

TEST(KernelRunner, TakesTimeLinearInAMillionThreads) {
  if (kTsan) GTEST_SKIP() << "a fiber for each of a million threads takes half a minute under TSan";
  seconds_for_threads(1 << 18);
  const double quarter = seconds_for_threads(1 << 18);
  const double whole = seconds_for_threads(1 << 20);
  RecordProperty("nanoseconds_per_thread", static_cast<int>(whole * 1e9 / (1 << 20)));
  EXPECT_LT(whole, quarter * 8) << "four times as many threads";
}

// ---- races -------------------------------------------------------------------------------------

/// Runs a kernel under TSan, in a child process without output of ours.
template <class... Parameters>
[[noreturn]] void run_and_exit(std::string_view name, std::uint32_t size,
                               Parameters... parameters) {
  {
    Blocks blocks;
    blocks.run(name, {4}, {size}, blocks.numbers(4 * size), parameters...);
  }
  std::exit(0);
}

class Tsan : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kTsan) GTEST_SKIP() << "only in the tsan build";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  static constexpr const char* kRace = "data race(.|\n)*blocks.cu";
};

TEST_F(Tsan, FindsAMissingBarrier) {
  EXPECT_EXIT(run_and_exit("rotate", 64, 0), ::testing::ExitedWithCode(66), kRace);
  EXPECT_EXIT(run_and_exit("rotate", 256, 0), ::testing::ExitedWithCode(66), kRace);
}

TEST_F(Tsan, AcceptsABarrier) {
  EXPECT_EXIT(run_and_exit("rotate", 64, 1), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run_and_exit("rotate", 256, 1), ::testing::ExitedWithCode(0), "");
}

TEST_F(Tsan, AcceptsAtomicsAndShuffles) {
  EXPECT_EXIT(
      {
        Blocks blocks;
        auto* words = blocks.memory.allocate<std::uint64_t>(256);
        auto* in = blocks.numbers(128);
        blocks.run("count_all", {4}, {64}, words, words + 1, words + 2, words + 3);
        blocks.run("reduce_warp", {2}, {64}, in, words);
        blocks.run("reduce", {2}, {64}, in, words);
        blocks.run("exchange", {}, {32}, words);
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace harness
