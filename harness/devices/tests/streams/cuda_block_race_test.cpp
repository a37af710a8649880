// SPDX-License-Identifier: Apache-2.0
// Data races that are independent of submission order: between blocks of one kernel, and between
// the host and queued work. On the simulated driver.
#include "harness/devices/tests/streams/race_stage.h"

extern "C" {
extern const harness::KernelImage afterlife_kernels_blocks;
extern const harness::KernelImage afterlife_kernels_pointers;
}

namespace harness::testing {
namespace {

class CudaBlockRace : public RaceStage {};

// ---- blocks of one kernel ---------------------------------------------------------------------

TEST_F(CudaBlockRace, BlocksThatWriteTheSameBytesRace) {
  run([] {
    CUdeviceptr table = allocate(64);
    CUdeviceptr data = allocate(64);
    CUfunction keep = get_kernel(&afterlife_kernels_pointers, "keep");
    CUDA_OK(launch(keep, 2, 1, make_stream(), {&table, &data}));
  });
  expect_order();
}

TEST_F(CudaBlockRace, ASingleBlockDoesNotRace) {
  run([] {
    CUdeviceptr table = allocate(64);
    CUdeviceptr data = allocate(64);
    CUfunction keep = get_kernel(&afterlife_kernels_pointers, "keep");
    CUDA_OK(launch(keep, 1, 1, make_stream(), {&table, &data}));
  });
  expect_none();
}

TEST_F(CudaBlockRace, BlocksThatWriteDifferentBytesDoNotRace) {
  run([] {
    CUdeviceptr address = allocate(4096);
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
    int count = 1024;
    CUDA_OK(launch(function, 16, 64, make_stream(), {&address, &count}));
  });
  expect_none();
}

TEST_F(CudaBlockRace, BlocksThatUseAtomicsAreNotJudged) {
  run([] {
    CUdeviceptr parts = allocate(64);
    CUdeviceptr done = allocate(64);
    CUdeviceptr sum = allocate(64);
    CUstream stream = make_stream();
    CUDA_OK(cuMemsetD32Async(done, 0, 1, stream));
    CUfunction last = get_kernel(&afterlife_kernels_blocks, "sum_last");
    CUDA_OK(launch(last, 4, 1, stream, {&parts, &done, &sum}));
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(read_int(sum), 10);
  });
  expect_none();
}

// ---- the host ---------------------------------------------------------------------------------

class CudaHostRace : public UnderStrategy {
 protected:
  CudaHostRace() { stage.judge_order(); }

  /// The host writes pinned memory while a copy from it is queued, or once it has waited for that.
  void write_after_a_copy(bool waits) {
    run(lagging(), [waits] {
      CUdeviceptr address = allocate(64);
      void* pinned = nullptr;
      CUDA_OK(cuMemAllocHost_v2(&pinned, 64));
      auto* value = static_cast<int*>(pinned);
      *value = 1;
      CUstream stream = make_stream();
      CUDA_OK(cuMemcpyHtoDAsync_v2(address, value, sizeof *value, stream));
      if (waits) CUDA_OK(cuStreamSynchronize(stream));
      *value = 2;
      CUDA_OK(cuStreamSynchronize(stream));
    });
  }
};

TEST_F(CudaHostRace, AHostWriteOfAPendingCopysSourceRaces) {
  write_after_a_copy(false);
  EXPECT_EQ(ending, Ending::finished);
  EXPECT_EQ(stage.fault(), "data_race");
}

TEST_F(CudaHostRace, AHostWriteAfterAWaitDoesNotRace) {
  write_after_a_copy(true);
  expect_finished();
}

TEST_F(CudaHostRace, AStreamWriteBeforeTheCopyDoesNotRace) {
  run(lagging(), [] {
    CUdeviceptr address = allocate(64);
    void* pinned = nullptr;
    CUDA_OK(cuMemAllocHost_v2(&pinned, 64));
    const auto source = reinterpret_cast<CUdeviceptr>(pinned);
    CUstream stream = make_stream();
    keep_busy(stream, source);
    CUDA_OK(cuMemcpyHtoDAsync_v2(address, pinned, sizeof(int), stream));
    CUDA_OK(cuStreamSynchronize(stream));
  });
  expect_finished();
}

}  // namespace
}  // namespace harness::testing
