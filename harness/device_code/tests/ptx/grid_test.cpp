// SPDX-License-Identifier: Apache-2.0
// Barriers across a cooperative grid: blocks wait for each other and keep their shared memory; a
// barrier that never opens is reported.
#include <numeric>

#include "harness/device_code/tests/ptx/program_stage.h"
#include "harness/driver/cuda/launch_count.h"

namespace harness::testing {
namespace {

template <class Stage>
class GridStage : public Stage {
 protected:
  using Stage::get;
  using Stage::Stage;

  template <class... Values>
  CUresult launch_together(const char* name, unsigned blocks, unsigned threads, Values... values) {
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
    const CUlaunchConfig config{blocks, 1, 1, threads, 1, 1, 0, nullptr, &cooperative, 1};
    void* parameters[] = {&values...};
    return AFTERLIFE_CU(cuLaunchKernelEx)(&config, this->kernel(name), parameters, nullptr);
  }
};

class PtxGrid : public GridStage<OnGpuToo<ProgramStage<PtxStage>>> {
 protected:
  PtxGrid() : GridStage("grids.ptx") {}
};

TEST_P(PtxGrid, BlocksWaitForEachOther) {
  for (const unsigned blocks : {1U, 2U, 7U}) {
    constexpr unsigned kThreads = 32;
    constexpr unsigned kRounds = 5;
    std::vector<unsigned> values(blocks * kThreads);
    std::iota(values.begin(), values.end(), 100);
    const CUdeviceptr memory = copy_of(values);
    EXPECT_EQ(launch_together("rotate", blocks, kThreads, memory, kRounds), CUDA_SUCCESS);
    std::vector<unsigned> wanted = values;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i] = values[(i + kRounds) % values.size()] + kRounds;
    EXPECT_EQ(values_at<unsigned>(memory, values.size()), wanted) << blocks;
    release(memory);
  }
}

/// A kernel whose blocks are on the device at once, and one between its barriers.
TEST_P(PtxGrid, TwoGridsHaveSeparateBarriers) {
  const std::vector<unsigned> values(64, 1);
  const CUdeviceptr first = copy_of(values);
  const CUdeviceptr second = copy_of(values);
  EXPECT_EQ(launch_together("rotate", 2, 32, first, 3U), CUDA_SUCCESS);
  EXPECT_EQ(launch_together("rotate", 4, 16, second, 2U), CUDA_SUCCESS);
  EXPECT_EQ(values_at<unsigned>(first, 64), std::vector<unsigned>(64, 4));
  EXPECT_EQ(values_at<unsigned>(second, 64), std::vector<unsigned>(64, 3));
  release(first);
  release(second);
}

INSTANTIATE_ON_GPU_TOO(PtxGrid);

class OwnPtxGrid : public GridStage<ProgramStage<PtxStage>> {
 protected:
  OwnPtxGrid() : GridStage("grids.ptx") {}

  /// Ends the process: 7 if the context has an error after the launch.
  void wait_alone() {
    launch_together("alone", 2, 32, CUdeviceptr{0});
    std::_Exit(AFTERLIFE_CU(cuCtxSynchronize)() == CUDA_SUCCESS ? 8 : 7);
  }
};

TEST_F(OwnPtxGrid, ANonCooperativeLaunchHasNoGridBarrier) {
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "", "rotate", copy_of(std::vector<unsigned>(1)), 1U);
}

TEST_F(OwnPtxGrid, TheDriverCountsLaunchedKernels) {
  void* found = nullptr;
  const auto find =
      reinterpret_cast<decltype(&cuGetProcAddress_v2)>(dlsym(library, "cuGetProcAddress_v2"));
  ASSERT_EQ(find(AFTERLIFE_LAUNCH_COUNT, &found, 13000, 0, nullptr), CUDA_SUCCESS);
  const auto count = reinterpret_cast<AfterlifeLaunchCount>(found);
  const unsigned long long before = count();
  const CUdeviceptr memory = copy_of(std::vector<unsigned>(1));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(launch(kernel("nothing"), 1, 1, 0, memory), CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
  EXPECT_EQ(count() - before, 3U);
}

TEST_F(OwnPtxGrid, AGridBarrierThatNeverOpensIsADeadlock) {
  EXPECT_EXIT(wait_alone(), ::testing::ExitedWithCode(7), "deadlock");
}

}  // namespace
}  // namespace harness::testing
