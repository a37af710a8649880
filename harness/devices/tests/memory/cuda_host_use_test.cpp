// SPDX-License-Identifier: Apache-2.0
// Uses of shared memory by the program itself, reported through the interface for tools that
// observe them. A use without a wait is a fault; a use with a documented guarantee is not.
#include <gmock/gmock.h>

#include "harness/devices/sim/sim_device.h"
#include "harness/devices/tests/streams/race_stage.h"

namespace harness::testing {
namespace {

using devices::AccessMode;
using ::testing::HasSubstr;

devices::SimDevice& sim() { return static_cast<devices::SimDevice&>(*World::current()->device); }

class CudaHostUse : public RaceStage {};

CUdeviceptr allocate_host(std::size_t bytes = 64) {
  sim().data_races().host_uses().watch();
  void* pinned = nullptr;
  EXPECT_EQ(cuMemAllocHost(&pinned, bytes), CUDA_SUCCESS);
  return reinterpret_cast<CUdeviceptr>(pinned);
}

std::uint32_t block_at(CUdeviceptr address) { return sim().memory().newest(address); }

void use(CUdeviceptr address, AccessMode mode) {
  sim().data_races().host_uses().use(block_at(address), {address, address + 1, mode},
                                     "the program");
}
void read(CUdeviceptr address) { use(address, AccessMode::read); }
void write(CUdeviceptr address) { use(address, AccessMode::write); }

/// A copy of 32 bytes from `source` to `target`.
void copy(CUdeviceptr target, CUdeviceptr source, CUstream stream) {
  EXPECT_EQ(cuMemcpyAsync(target, source, 32, stream), CUDA_SUCCESS);
}

TEST_F(CudaHostUse, AReadBeforeWaitingForTheCopyIsAFault) {
  for (const bool waits : {false, true}) {
    run([waits] {
      CUstream stream = make_stream();
      const CUdeviceptr pinned = allocate_host();
      copy(pinned, allocate(64), stream);
      if (waits) CUDA_OK(cuStreamSynchronize(stream));
      read(pinned + 31);
    });
    waits ? expect_none() : expect_order();
  }
}

TEST_F(CudaHostUse, AFaultNamesTheByteAndTheOtherAccess) {
  run([] {
    CUstream stream = make_stream();
    const CUdeviceptr pinned = allocate_host();
    copy(pinned, allocate(64), stream);
    read(pinned + 9);
  });
  ASSERT_EQ(stage.faults.size(), 1u);
  EXPECT_EQ(stage.faults[0].use_site.view(), "the program");
  EXPECT_THAT(stage.faults[0].detail,
              HasSubstr("it reads byte 9, and nothing orders it with who writes it"));
}

TEST_F(CudaHostUse, AWriteOfTheSourceOfACopyIsAFaultAndAReadIsNot) {
  for (const AccessMode mode : {AccessMode::read, AccessMode::write}) {
    run([mode] {
      CUstream stream = make_stream();
      const CUdeviceptr pinned = allocate_host();
      copy(allocate(64), pinned, stream);
      use(pinned, mode);
    });
    mode == AccessMode::read ? expect_none() : expect_order();
  }
}

TEST_F(CudaHostUse, AUseOfOtherBytesIsNotAFault) {
  run([] {
    CUstream stream = make_stream();
    const CUdeviceptr pinned = allocate_host();
    copy(pinned + 16, allocate(64), stream);
    write(pinned + 15);
    write(pinned + 48);
  });
  expect_none();
}

TEST_F(CudaHostUse, AUseDuringAKernelOfTheDefaultStreamIsAFault) {
  run([] {
    CUdeviceptr pinned = allocate_host(256);
    int count = 1;
    CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
    EXPECT_EQ(launch(function, 1, 64, nullptr, {&pinned, &count}), CUDA_SUCCESS);
    read(pinned);
  });
  expect_order();
}

TEST_F(CudaHostUse, AUseAfterASuccessfulQueryIsNotAFault) {
  run([] {
    CUstream stream = make_stream();
    const CUdeviceptr pinned = allocate_host();
    copy(pinned, allocate(64), stream);
    CUDA_OK(cuStreamQuery(stream));
    read(pinned);
  });
  expect_none();
}

TEST_F(CudaHostUse, ReadingAWordWrittenByTheStreamOrdersEarlierWork) {
  run([] {
    CUstream stream = make_stream();
    const CUdeviceptr pinned = allocate_host();
    copy(pinned, allocate(64), stream);
    CUDA_OK(cuStreamWriteValue32(stream, pinned + 32, 1, 0));
    read(pinned + 32);
    read(pinned);
  });
  expect_none();
}

TEST_F(CudaHostUse, ReadingAWordWrittenByTheStreamOrdersNoLaterWork) {
  run([] {
    CUstream stream = make_stream();
    const CUdeviceptr pinned = allocate_host();
    CUDA_OK(cuStreamWriteValue32(stream, pinned + 32, 1, 0));
    copy(pinned, allocate(64), stream);
    read(pinned + 32);
    read(pinned);
  });
  expect_order();
}

TEST_F(CudaHostUse, IsReportedOncePerBlock) {
  run([] {
    CUstream stream = make_stream();
    const CUdeviceptr pinned = allocate_host();
    copy(pinned, allocate(64), stream);
    EXPECT_EQ(sim().data_races().host_uses().unseen(block_at(pinned)), AccessMode::write);
    for (int i = 0; i < 3; ++i) read(pinned);
    EXPECT_EQ(sim().data_races().host_uses().unseen(block_at(pinned)), std::nullopt);
  });
  EXPECT_EQ(stage.faults.size(), 1u);
}

TEST_F(CudaHostUse, WaitingEndsAUse) {
  run([] {
    CUstream stream = make_stream();
    const CUdeviceptr pinned = allocate_host();
    const auto unseen = [&] { return sim().data_races().host_uses().unseen(block_at(pinned)); };
    EXPECT_EQ(unseen(), std::nullopt);
    copy(allocate(64), pinned, stream);
    EXPECT_EQ(unseen(), AccessMode::read);
    copy(pinned + 32, allocate(64), stream);
    EXPECT_EQ(unseen(), AccessMode::write);
    CUDA_OK(cuStreamSynchronize(stream));
    EXPECT_EQ(unseen(), std::nullopt);
  });
  expect_none();
}

}  // namespace
}  // namespace harness::testing
