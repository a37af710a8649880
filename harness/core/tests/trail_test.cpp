// SPDX-License-Identifier: Apache-2.0
// Trails record the meaning of calls and of shared words, and no addresses of the harness.
#include "harness/core/history/trail.h"

#include <gmock/gmock.h>

#include "harness/core/shared/shared.h"
#include "harness/devices/tests/cuda_stage.h"

namespace harness::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Ne;
using Step = Trail::Step;

class TrailOfCalls : public ::testing::Test {
 protected:
  /// Runs a body in its own world. Returns its last step of this name.
  template <class Body>
  Step last(Label what, Body body) {
    Trail trail;
    const Trail::Current current(trail);
    CudaStage stage(devices::sim.make());
    Plain plain;
    stage.run(plain, body);
    for (auto step = trail.steps().rbegin(); step != trail.steps().rend(); ++step)
      if (step->what == what) return *step;
    ADD_FAILURE() << what.view() << " is no step";
    return {};
  }

  /// The values that go with an argument.
  static std::vector<std::uint64_t> of(const Step& step, std::uint8_t argument) {
    std::vector<std::uint64_t> values;
    for (const Trail::Value& one : step.values)
      if (one.argument == argument) values.push_back(one.value);
    return values;
  }
};

TEST_F(TrailOfCalls, AddressesAreRecordedAsObjectsAndContentsAsValues) {
  const auto copy = [](std::size_t offset, std::uint64_t word) {
    return [=] {
      const CUdeviceptr other = allocate(64);
      const CUdeviceptr memory = allocate(64);
      const std::uint64_t words[] = {word, other + 16};
      const SiteScope site(World::current()->scheduler, "upload");
      EXPECT_EQ(cuMemcpyHtoD(memory + offset, words, sizeof words), CUDA_SUCCESS);
    };
  };
  const Step one = last("cuMemcpyHtoD", copy(8, 5));
  EXPECT_EQ(one.site, Label("upload"));
  ASSERT_EQ(of(one, 1).size(), 2u);
  EXPECT_EQ(of(one, 1)[1], 8u) << "an offset, not an address";
  ASSERT_EQ(of(one, 2).size(), 3u);
  EXPECT_EQ(of(one, 2)[0], 5u);
  EXPECT_EQ(of(one, 2)[2], 16u) << "a word that is an address is told as one";
  EXPECT_THAT(of(one, 2)[1], Ne(of(one, 1)[0])) << "of the other memory";
  EXPECT_THAT(of(one, 3), ElementsAre(16));
  EXPECT_EQ(last("cuMemcpyHtoD", copy(8, 5)), one) << "in another world, too";
  EXPECT_NE(last("cuMemcpyHtoD", copy(16, 5)), one);
  EXPECT_NE(last("cuMemcpyHtoD", copy(8, 6)), one);
}

TEST_F(TrailOfCalls, AKernelsParametersAndStreamAreRecorded) {
  const auto add = [](int count, bool on_other) {
    return [=] {
      CUstream stream = nullptr;
      EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
      CUfunction function = get_kernel(&afterlife_kernels_conformance, "add_one");
      CUdeviceptr memory = allocate(64);
      int counted = count;
      EXPECT_EQ(launch(function, 1, 1, on_other ? stream : nullptr, {&memory, &counted}),
                CUDA_SUCCESS);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    };
  };
  const Step one = last("cuLaunchKernel", add(1, true));
  ASSERT_EQ(of(one, 10).size(), 3u) << "memory, an offset and a count";
  EXPECT_EQ(of(one, 10)[2], 1u);
  EXPECT_EQ(last("cuLaunchKernel", add(1, true)), one);
  EXPECT_THAT(of(last("cuLaunchKernel", add(2, true)), 10), Ne(of(one, 10)));
  EXPECT_THAT(of(last("cuLaunchKernel", add(1, false)), 9), Ne(of(one, 9)));
}

TEST_F(TrailOfCalls, ASharedWordIsRecordedByNameAndValue) {
  const auto written = [&](std::uint32_t value) {
    return last("sync_state", [value] {
      Scheduler& scheduler = World::current()->scheduler;
      Shared<std::uint32_t> state(scheduler, "sync_state");
      const SiteScope site(scheduler, "release");
      state.write(value);
    });
  };
  const Step one = written(7);
  EXPECT_EQ(one.kind, Trail::Kind::write);
  EXPECT_EQ(one.site, Label("release"));
  EXPECT_THAT(of(one, 2), ElementsAre(7));
  EXPECT_THAT(of(written(8), 2), ElementsAre(8));
}

TEST_F(TrailOfCalls, WithoutATrailNothingIsRecorded) {
  Trail trail;
  {
    const Trail::Current current(trail);
  }
  CudaStage stage(devices::sim.make());
  Plain plain;
  stage.run(plain, [] { allocate(64); });
  EXPECT_TRUE(trail.steps().empty());
}

}  // namespace
}  // namespace harness::testing
