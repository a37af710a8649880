// SPDX-License-Identifier: Apache-2.0
// Staged copies: uses of memory after a copy from pageable memory has returned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "harness/devices/sim/sim_device.h"
#include "harness/devices/tests/streams/race_stage.h"

namespace harness::testing {
namespace {

class CudaStagedCopy : public RaceStage {};

/// The kinds of object that the faults are about.
std::vector<Label> object_kinds(const std::vector<Fault>& faults) {
  std::vector<Label> kinds;
  for (const Fault& fault : faults) kinds.push_back(fault.object_kind);
  return kinds;
}

const Label kBytes("bytes of device memory");
const Label kStaged("bytes of a staged copy");

void copy_in(CUdeviceptr address, std::size_t count = 64) {
  const std::vector<char> bytes(count);
  EXPECT_EQ(cuMemcpyHtoD_v2(address, bytes.data(), bytes.size()), CUDA_SUCCESS);
}

/// Has such copies done when they return, for as long as it lives: other work may be late.
class DriverOfToday {
 public:
  explicit DriverOfToday(World& world)
      : races_(static_cast<devices::SimDevice&>(*world.device).data_races()) {
    races_.staging().have_them_done(true);
  }
  ~DriverOfToday() { races_.staging().have_them_done(false); }
  DriverOfToday(const DriverOfToday&) = delete;
  DriverOfToday& operator=(const DriverOfToday&) = delete;

 private:
  devices::DataRaces& races_;
};

TEST_F(CudaStagedCopy, AUseAfterASmallCopyRacesOnlyByTheDocumentation) {
  run([] {
    CUdeviceptr address = allocate(64);
    copy_in(address);
    set(make_stream(), address);
  });
  EXPECT_EQ(object_kinds(stage.faults), std::vector{kStaged});
}

TEST_F(CudaStagedCopy, AUseAfterALargeCopyIsAnOrdinaryRace) {
  constexpr std::size_t kLarge = 64 * 1024;
  const auto kinds = [&](std::size_t bytes) {
    run([&] {
      CUdeviceptr address = allocate(kLarge);
      copy_in(address, bytes);
      set(make_stream(), address);
    });
    return object_kinds(stage.faults);
  };
  EXPECT_EQ(kinds(kLarge - 1), std::vector{kStaged});
  EXPECT_EQ(kinds(kLarge), std::vector{kBytes});
}

TEST_F(CudaStagedCopy, AUseAfterALargeCopyOfRowsIsAnOrdinaryRace) {
  run([] {
    constexpr std::size_t kWidth = 1024;
    constexpr std::size_t kHeight = 64;
    CUdeviceptr address = allocate(kWidth * kHeight);
    const std::vector<char> bytes(kWidth * kHeight);
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = bytes.data();
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes = kWidth;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = address;
    copy.Height = kHeight;
    CUDA_OK(cuMemcpy2D_v2(&copy));
    set(make_stream(), address);
  });
  EXPECT_EQ(object_kinds(stage.faults), std::vector{kBytes});
}

TEST_F(CudaStagedCopy, ALargeCopyMayBePendingOnACurrentDriver) {
  Always late = lagging();
  stage.run(late, [this] {
    const DriverOfToday today(stage.world);
    const auto is_late = [](std::size_t bytes) {
      CUdeviceptr address = allocate(bytes);
      copy_in(address, bytes);
      return cuStreamQuery(nullptr) == CUDA_ERROR_NOT_READY;
    };
    EXPECT_FALSE(is_late(64));
    EXPECT_TRUE(is_late(64 * 1024));
  });
}

TEST_F(CudaStagedCopy, AUseBeforeTheCopyIsAnOrdinaryRace) {
  run([] {
    CUdeviceptr address = allocate(64);
    set(make_stream(), address);
    copy_in(address);
  });
  EXPECT_EQ(object_kinds(stage.faults), std::vector{kBytes});
}

TEST_F(CudaStagedCopy, AUseSubmittedBeforeTheCopyIsAnOrdinaryRace) {
  Always late = lagging();
  stage.run(late, [this] {
    const DriverOfToday today(stage.world);
    CUdeviceptr address = allocate(64);
    CUstream stream = make_stream();
    set(stream, address);
    copy_in(address);
    CUDA_OK(cuStreamSynchronize(stream));
  });
  EXPECT_EQ(object_kinds(stage.faults), std::vector{kBytes});
}

TEST_F(CudaStagedCopy, AUseAfterAnAsynchronousCopyIsAnOrdinaryRace) {
  run([] {
    CUdeviceptr address = allocate(64);
    const std::array<char, 64> bytes{};
    CUDA_OK(cuMemcpyHtoDAsync_v2(address, bytes.data(), bytes.size(), make_stream()));
    set(make_stream(), address);
  });
  EXPECT_EQ(object_kinds(stage.faults), std::vector{kBytes});
}

TEST_F(CudaStagedCopy, ARaceWithAStagedCopyHidesNoOtherRace) {
  run([] {
    CUdeviceptr address = allocate(64);
    copy_in(address);
    set(make_stream(), address);
    set(make_stream(), address);
  });
  EXPECT_EQ(object_kinds(stage.faults), (std::vector{kStaged, kBytes}));
}

TEST_F(CudaStagedCopy, AFreeUnorderedWithAStagedCopyRacesWithItOnly) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuStreamSynchronize(stream));
    copy_in(address);
    CUDA_OK(cuMemFreeAsync(address, stream));
  });
  EXPECT_EQ(object_kinds(stage.faults), std::vector{kStaged});
}

TEST_F(CudaStagedCopy, AStagedCopyHidesNoRaceOfAFreeWithItsStream) {
  run([] {
    CUstream stream = make_stream();
    CUdeviceptr address = allocate_async(64, stream);
    CUDA_OK(cuStreamSynchronize(stream));
    copy_in(address);
    set(nullptr, address);
    CUDA_OK(cuMemFreeAsync(address, stream));
  });
  EXPECT_THAT(object_kinds(stage.faults),
              ::testing::UnorderedElementsAre(kStaged, Label("device memory")));
}

TEST_F(CudaStagedCopy, AGraphLaunchedBeforeTheCopyIsAnOrdinaryRace) {
  Always late = lagging();
  stage.run(late, [this] {
    const DriverOfToday today(stage.world);
    CUdeviceptr address = allocate(64);
    CUgraph graph = make_graph();
    add_set(graph, address, 1);
    CUstream stream = make_stream();
    CUDA_OK(cuGraphLaunch(instantiate(graph), stream));
    copy_in(address);
    CUDA_OK(cuStreamSynchronize(stream));
  });
  EXPECT_EQ(object_kinds(stage.faults), std::vector{kBytes});
}

}  // namespace
}  // namespace harness::testing
