// SPDX-License-Identifier: Apache-2.0
// Suballocators that tell NVTX what they give out: their regions live and end as allocations do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/base/tests/child.h"
#include "harness/client/outside/client.h"
#include "harness/client/outside/search/search.h"

#include "harness/client/inside/libnvtx/interface.h"

#if __has_include(<nvtx3/nvToolsExtMem.h>)
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExtMem.h>
static_assert(sizeof(nvtxMemHeapDesc_t) == sizeof(harness::nvtx::Heap));
static_assert(sizeof(nvtxMemRegionsRegisterBatch_t) == sizeof(harness::nvtx::Registered));
static_assert(sizeof(nvtxMemRegionsResizeBatch_t) == sizeof(harness::nvtx::Resized));
static_assert(sizeof(nvtxMemRegionsUnregisterBatch_t) == sizeof(harness::nvtx::Unregistered));
static_assert(sizeof(nvtxMemRegionsNameBatch_t) == sizeof(harness::nvtx::Named));
static_assert(sizeof(nvtxMemRegionNameDesc_t) == sizeof(harness::nvtx::Name));
#endif

namespace harness::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ClientNvtx : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAsan || kTsan) GTEST_SKIP() << "other programs lack the run-time of a sanitizer";
    if (!std::filesystem::exists(program_)) GTEST_SKIP() << "the toolkit has no nvToolsExtMem.h";
  }

  /// Runs the program with a mistake, from a seed; 0: without choices.
  ClientRun run(const std::string& mistake, std::uint64_t seed = 0) const {
    const std::atomic<bool> go_on{false};
    Orders orders;
    orders.locates = true;
    orders.draws = seed != 0;
    orders.seed = seed;
    ClientRun made = run_client({{program_, mistake}, library_folder()}, orders, go_on);
    EXPECT_EQ(made.ended.code, 0) << made.ended.err;
    return made;
  }
  /// The signatures and details of what is found.
  static std::vector<std::string> told(const ClientRun& run) {
    std::vector<std::string> made;
    for (const Report& report : run.reports)
      for (const ToldFault& fault : report.faults)
        made.push_back(fault.signature + " " + fault.detail);
    return made;
  }

  const std::string program_ =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "client_pooled";
};

TEST_F(ClientNvtx, ARegionIsUsedAfterItsEnd) {
  const std::vector<std::string> faults = told(run("stale"));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0], StartsWith("use_after_free memory region of scratch"));
  EXPECT_THAT(faults[0], HasSubstr("born:nvtxMemRegionsRegister"));
  EXPECT_THAT(faults[0], HasSubstr("died:nvtxMemRegionsUnregister"));
  EXPECT_THAT(faults[0], HasSubstr("named 'weights'"));
}

TEST_F(ClientNvtx, AKernelUsesARegionAfterItsEnd) {
  const std::vector<std::string> faults = told(run("kernel"));
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_THAT(faults[0], StartsWith("use_after_free memory region of scratch"));
  EXPECT_THAT(faults[0], HasSubstr("used:fill"));
  EXPECT_THAT(faults[0], HasSubstr("named 'weights'"));
}

TEST_F(ClientNvtx, AGraphUsesARegionAfterItsEnd) {
  EXPECT_THAT(told(run("graph")), ElementsAre(StartsWith("use_after_free memory region of scra")));
  EXPECT_THAT(told(run("recycled")), ElementsAre(StartsWith("recycled_use memory region of scra")));
}

TEST_F(ClientNvtx, AKernelStaysWithinItsRegion) {
  EXPECT_THAT(told(run("beyond")), ElementsAre(StartsWith("wild_access device memory")));
}

TEST_F(ClientNvtx, ARegionIsGivenBackOnceAndHasOneOwner) {
  EXPECT_THAT(told(run("twice")), ElementsAre(StartsWith("double_free memory region of scratch")));
  EXPECT_THAT(told(run("shared")), ElementsAre(StartsWith("api_misuse memory region of scratch")));
}

TEST_F(ClientNvtx, AHeapThatIsResetEndsItsRegions) {
  EXPECT_THAT(told(run("reset")), ElementsAre(HasSubstr("died:nvtxMemHeapReset")));
}

TEST_F(ClientNvtx, ARegionIsGivenBackByItsHandleToo) {
  EXPECT_THAT(told(run("handle")), ElementsAre(HasSubstr("died:nvtxMemRegionsUnregister")));
}

TEST_F(ClientNvtx, ACallStaysWithinTheRegionAsItIsNow) {
  for (const char* mistake : {"past", "shrunk"})
    EXPECT_THAT(told(run(mistake)), ElementsAre(HasSubstr("beyond the end of the region")))
        << mistake;
}

TEST_F(ClientNvtx, ASoundPoolIsNeverAtFault) {
  for (std::uint64_t seed = 0; seed <= 50; ++seed)
    EXPECT_THAT(told(run("sound", seed)), IsEmpty()) << "seed " << seed;
}

}  // namespace
}  // namespace harness::client
