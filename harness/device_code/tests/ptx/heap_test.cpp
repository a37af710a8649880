// SPDX-License-Identifier: Apache-2.0
// Memory that kernels allocate (the device heap).
#include "harness/device_code/tests/ptx/program_stage.h"

namespace harness::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

class PtxHeap : public OnGpuToo<ProgramStage<PtxStage>> {
 protected:
  PtxHeap() : OnGpuToo("heap.ptx") {}

  /// The addresses of pieces of this many bytes, as a kernel of this many threads got them.
  CUdeviceptr take(unsigned threads, std::uint64_t bytes) const {
    const CUdeviceptr slots = copy_of(std::vector<std::uint64_t>(threads, 1));
    EXPECT_EQ(launch(kernel("take"), 1, threads, 0, slots, bytes), CUDA_SUCCESS);
    return slots;
  }
};

/// Faults that only our driver reports.
class OwnPtxHeap : public ProgramStage<PtxStage> {
 protected:
  OwnPtxHeap() : ProgramStage("heap.ptx") {}

  /// The slot of a piece of 4 bytes.
  CUdeviceptr take() const {
    const CUdeviceptr slot = copy_of(std::vector<std::uint64_t>{0});
    EXPECT_EQ(launch(kernel("take"), 1, 1, 0, slot, std::uint64_t{4}), CUDA_SUCCESS);
    return slot;
  }
};

TEST_P(PtxHeap, AllocationsPersistAcrossKernels) {
  const CUdeviceptr slots = take(64, 20);
  const CUdeviceptr sums = copy_of(std::vector<unsigned>(64));
  ASSERT_EQ(launch(kernel("look"), 1, 64, 0, slots, sums), CUDA_SUCCESS);
  const std::vector<unsigned> seen = values_at<unsigned>(sums, 64);
  const std::vector<std::uint64_t> addresses = values_at<std::uint64_t>(slots, 64);
  for (unsigned t = 0; t < 64; ++t) {
    EXPECT_EQ(seen[t], t);
    EXPECT_EQ(addresses[t] % 16, 0u) << "aligned to 16 bytes";
  }
  ASSERT_EQ(launch(kernel("give"), 1, 64, 0, slots, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
  release(slots), release(sums);
}

TEST_P(PtxHeap, IsFullAtItsLimit) {
  std::size_t limit = 0;
  ASSERT_EQ(AFTERLIFE_CU(cuCtxGetLimit)(&limit, CU_LIMIT_MALLOC_HEAP_SIZE), CUDA_SUCCESS);
  const CUdeviceptr slots = take(32, limit / 8);
  const std::vector<std::uint64_t> addresses = values_at<std::uint64_t>(slots, 32);
  const auto got = std::ranges::count_if(addresses, [](std::uint64_t one) { return one != 0; });
  EXPECT_GE(got, 1);
  EXPECT_LE(got, 8);
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (addresses[i] != 0)
      EXPECT_EQ(launch(kernel("give"), 1, 1, 0, slots + 8 * i, 1, 0), CUDA_SUCCESS);
  const CUdeviceptr too_much = take(1, limit * 2);
  EXPECT_THAT(values_at<std::uint64_t>(too_much, 1), ElementsAre(0u));
  release(slots), release(too_much);
}

TEST_P(PtxHeap, FreedMemoryIsAvailableAgain) {
  std::size_t limit = 0;
  ASSERT_EQ(AFTERLIFE_CU(cuCtxGetLimit)(&limit, CU_LIMIT_MALLOC_HEAP_SIZE), CUDA_SUCCESS);
  for (int i = 0; i < 20; ++i) {
    const CUdeviceptr slot = take(1, limit / 4);
    ASSERT_THAT(values_at<std::uint64_t>(slot, 1), Each(::testing::Ne(0u))) << i;
    ASSERT_EQ(launch(kernel("give"), 1, 1, 0, slot, 1, 0), CUDA_SUCCESS);
    release(slot);
  }
}

TEST_P(PtxHeap, FreeingNullHasNoEffect) {
  ASSERT_EQ(launch(kernel("give_this"), 1, 32, 0, std::uint64_t{0}), CUDA_SUCCESS);
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSynchronize)(), CUDA_SUCCESS);
}

TEST_P(PtxHeap, HasItsSizeFixedByItsFirstUse) {
  release(take(1, 16));
  EXPECT_EQ(AFTERLIFE_CU(cuCtxSetLimit)(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20),
            CUDA_ERROR_INVALID_VALUE);
}

INSTANTIATE_ON_GPU_TOO(PtxHeap);

// ---- faults that only our driver reports
// ---------------------------------------------------------------------------

TEST_F(OwnPtxHeap, AUseAfterFreeInTheSameKernelIsReported) {
  const CUdeviceptr slot = take();
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS,
             "use_after_free memory of a kernel's malloc.. born:take died:give used:give "
             "4 bytes at offset 0",
             "give", slot, 1, 1);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "use_after_free .*used:give 4 bytes", "give", slot, 1, 2);
  expect_end(CUDA_SUCCESS, "", "give", slot, 1, 0);
}

TEST_F(OwnPtxHeap, AUseAfterFreeInALaterKernelIsReported) {
  const CUdeviceptr slot = take();
  const CUdeviceptr sum = copy_of(std::vector<unsigned>(1));
  ASSERT_EQ(launch(kernel("give"), 1, 1, 0, slot, 1, 0), CUDA_SUCCESS);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "use_after_free .*born:take died:give used:look", "look",
             slot, sum);
}

TEST_F(OwnPtxHeap, AnAccessBeyondItsEndIsReported) {
  const CUdeviceptr slots = copy_of(std::vector<std::uint64_t>{0});
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "wild_access memory of a kernel's malloc.. .*4 bytes at",
             "take", slots, std::uint64_t{2});
}

TEST_F(OwnPtxHeap, FreeingAForeignPointerIsReported) {
  const CUdeviceptr slot = take();
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "double_free memory of a kernel's malloc.. .*used:give",
             "give", slot, 2, 0);
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS,
             "api_misuse device memory .*used:give_this freed by a kernel", "give_this", slot);
  const std::uint64_t piece = values_at<std::uint64_t>(slot, 1)[0];
  expect_end(CUDA_ERROR_ILLEGAL_ADDRESS, "api_misuse .*freed by a kernel", "give_this", piece + 16);
}

TEST_F(OwnPtxHeap, DriverCallsRefuseItsAddresses) {
  const CUdeviceptr slot = take();
  const std::uint64_t piece = values_at<std::uint64_t>(slot, 1)[0];
  EXPECT_EQ(AFTERLIFE_CU(cuMemFree_v2)(piece), CUDA_ERROR_INVALID_VALUE);
  unsigned word = 0;
  EXPECT_EQ(AFTERLIFE_CU(cuMemcpyDtoH_v2)(&word, piece, 4), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace harness::testing
