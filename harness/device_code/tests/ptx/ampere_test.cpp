// SPDX-License-Identifier: Apache-2.0
// Rare instructions of compute capability 8.0: cache policies, address spaces, stack memory, and
// registers of 128 bits.
#include "harness/device_code/tests/ptx/program_stage.h"

namespace harness::testing {
namespace {

using ::testing::ElementsAre;

class PtxAmpere : public OnGpuToo<ProgramStage<PtxStage>> {
 protected:
  PtxAmpere() : OnGpuToo("ampere.ptx") {}
};

class OwnPtxAmpere : public ProgramStage<PtxStage> {
 protected:
  OwnPtxAmpere() : ProgramStage("ampere.ptx") {}
};

TEST_P(PtxAmpere, CachePoliciesHaveNoEffect) {
  const CUdeviceptr in = copy_of(std::vector<unsigned>{11, 22, 33, 44, 55, 66, 77, 88});
  const CUdeviceptr out = copy_of(std::vector<unsigned>{0, 0, 100, 0, 0});
  ASSERT_EQ(launch(kernel("policies"), 1, 1, 0, in, out), CUDA_SUCCESS);
  EXPECT_THAT(values_at<unsigned>(out, 5), ElementsAre(11u, 22u, 233u, 44u, 55u));
  release(in), release(out);
}

TEST_F(OwnPtxAmpere, AnAddressBelongsToOneStateSpace) {
  const CUdeviceptr out = copy_of(std::vector<unsigned>(6));
  struct {
    std::uint64_t first, second;
  } block{1, 2};
  ASSERT_EQ(launch(kernel("spaces"), 1, 1, 0, block, out), CUDA_SUCCESS);
  EXPECT_THAT(values_at<unsigned>(out, 6), ElementsAre(1u, 2u, 4u, 8u, 16u, 1u));
  release(out);
}

TEST_P(PtxAmpere, StackMemoryIsAllocatedAndRestored) {
  // The kernel takes 4 KiB of stack at once; by default a driver gives each thread 1 KiB.
  std::size_t before = 0;
  ASSERT_EQ(AFTERLIFE_CU(cuCtxGetLimit)(&before, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
  ASSERT_EQ(AFTERLIFE_CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, 8 << 10), CUDA_SUCCESS);
  const CUdeviceptr out = copy_of(std::vector<unsigned>(4));
  ASSERT_EQ(launch(kernel("stack"), 1, 1, 0, 1000u, out), CUDA_SUCCESS);
  EXPECT_THAT(values_at<unsigned>(out, 4), ElementsAre(4950u, 0x01020304u, 0u, 2 * 499500u));
  release(out);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSetLimit)(CU_LIMIT_STACK_SIZE, before), CUDA_SUCCESS);
}

TEST_P(PtxAmpere, SixteenBytesAreMovedByOneInstruction) {
  const CUdeviceptr in = copy_of(std::vector<std::uint64_t>{0x0123456789abcdef, 42});
  const CUdeviceptr out = copy_of(std::vector<std::uint64_t>(2));
  ASSERT_EQ(launch(kernel("wide"), 1, 1, 0, in, out), CUDA_SUCCESS);
  EXPECT_THAT(values_at<std::uint64_t>(out, 2), ElementsAre(42u, 0x0123456789abcdefu));
  release(in), release(out);
}

INSTANTIATE_ON_GPU_TOO(PtxAmpere);

TEST_F(OwnPtxAmpere, AStackOverflowIsReported) {
  expect_end(CUDA_SUCCESS, "", "take", std::uint64_t{16 << 10});
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "more than 16 KiB by alloca", "take",
             std::uint64_t{(16 << 10) + 1});
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "more than 16 KiB by alloca", "take", ~std::uint64_t{0});
}

TEST_F(OwnPtxAmpere, A16ByteAccessOutOfBoundsIsReported) {
  const CUdeviceptr freed = copy_of(std::vector<std::uint64_t>(2));
  const CUdeviceptr alive = copy_of(std::vector<std::uint64_t>(4));
  release(freed);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "use_after_free device memory .*used:wide 16 bytes",
             "wide", freed, alive);
  expect_end(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address", "wide", alive + 8, alive);
  release(alive);
}

}  // namespace
}  // namespace harness::testing
