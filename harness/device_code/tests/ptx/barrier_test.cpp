// SPDX-License-Identifier: Apache-2.0
// Barriers of a part of the block, and atomics of 16 bits.
#include "harness/device_code/tests/ptx/program_stage.h"

namespace harness::testing {
namespace {

class PtxBarrier : public OnGpuToo<ProgramStage<PtxStage>> {
 protected:
  PtxBarrier() : OnGpuToo("barriers.ptx") {}
};

class OwnPtxBarrier : public ProgramStage<PtxStage> {
 protected:
  OwnPtxBarrier() : ProgramStage("barriers.ptx") {}
};

TEST_P(PtxBarrier, ArrivingDoesNotBlockAndWaitingSeesTheWrites) {
  const CUdeviceptr out = copy_of(std::vector<unsigned>(32));
  ASSERT_EQ(launch(kernel("hand_over"), 1, 96, 0, out), CUDA_SUCCESS);
  const std::vector<unsigned> got = values_at<unsigned>(out, 32);
  for (unsigned t = 0; t < 32; ++t) EXPECT_EQ(got[t], (t ^ 31) * 10);
  release(out);
}

TEST_P(PtxBarrier, EachBarrierCountsItsOwnWarps) {
  constexpr unsigned kThreads = 256;
  const CUdeviceptr out = copy_of(std::vector<unsigned>(2 * kThreads));
  ASSERT_EQ(launch(kernel("count"), 1, kThreads, 0, out), CUDA_SUCCESS);
  const std::vector<unsigned> got = values_at<unsigned>(out, 2 * kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    unsigned count = 0;
    bool is_any = false;
    for (unsigned other = t / 64 * 64; other < t / 64 * 64 + 64; ++other) {
      count += other % 3 == 0;
      is_any = is_any || other % 100 == 0;
    }
    EXPECT_EQ(got[2 * t], count + (t < 128 ? 100 : 0) + (is_any ? 1000 : 0)) << t;
    EXPECT_EQ(got[2 * t + 1], kThreads - (kThreads + 2) / 3);
  }
  release(out);
}

TEST_P(PtxBarrier, OpensForTheExpectedNumberOfThreads) {
  ASSERT_EQ(launch(kernel("meet"), 1, 128, 0, 7, 64, 64), CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
  ASSERT_EQ(launch(kernel("meet"), 3, 128, 0, 15, 128, 128), CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
}

TEST_P(PtxBarrier, HalvesAreAddedAndSwappedAtomically) {
  const CUdeviceptr words = copy_of(std::vector<std::uint16_t>(4));
  ASSERT_EQ(launch(kernel("halves"), 1, 64, 0, words), CUDA_SUCCESS);
  const std::vector<std::uint16_t> got = values_at<std::uint16_t>(words, 4);
  EXPECT_EQ(got[0], 0x5000) << "64 times 0.5, in f16";
  EXPECT_EQ(got[1], 0x4280) << "64 times 1.0, in bf16";
  EXPECT_EQ(got[2], got[3]) << "one thread found nothing there";
  EXPECT_GE(got[3], 1);
  EXPECT_LE(got[3], 64);
  release(words);
}

TEST_P(PtxBarrier, LanesConvergeAtVolatileSharedMemory) {
  const CUdeviceptr out = copy_of(std::vector<unsigned>(1));
  ASSERT_EQ(launch(kernel("warp_sum"), 1, 96, 0, out), CUDA_SUCCESS);
  EXPECT_EQ(values_at<unsigned>(out, 1)[0], 31u * 32 / 2);
  release(out);
}

INSTANTIATE_ON_GPU_TOO(PtxBarrier);

TEST_F(OwnPtxBarrier, ABarrierThatNeverOpensIsReported) {
  expect_end_of(64, CUDA_ERROR_ILLEGAL_ADDRESS, "deadlock barrier used:meet", "meet", 2, 96, 96);
}

TEST_F(OwnPtxBarrier, DisagreeingThreadsAreReported) {
  expect_end_of(64, CUDA_ERROR_ILLEGAL_ADDRESS,
                "deadlock barrier used:meet threads come to one barrier with different numbers",
                "meet", 2, 64, 32);
}

TEST_F(OwnPtxBarrier, ABadIndexOrAPartialWarpIsReported) {
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "a barrier beyond the last", "meet", 16, 32, 32);
  expect_end(CUDA_ERROR_LAUNCH_FAILED, "a barrier for a part of a warp", "meet", 1, 33, 33);
}

}  // namespace
}  // namespace harness::testing
