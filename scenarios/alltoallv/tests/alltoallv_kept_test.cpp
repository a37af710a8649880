// SPDX-License-Identifier: Apache-2.0
// The judges of kept objects and returned statuses report a target with a bug: a mapping closed too
// early or too late, scratch freed while the team uses it, an error that is swallowed or invented,
// a wrong CUDA call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/alltoallv/tests/alltoallv_broken.h"

namespace scenarios::alltoallv::testing {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

constexpr const char* kPlain = "C=8 ranks=2 close=never";

Program one() { return Program().script(Op::alltoallv); }
Program two() { return Program().script(Op::alltoallv).script(Op::alltoallv); }
Program gather() { return Program().script(Op::allgather); }

// ---- mappings -----------------------------------------------------------------------------------

/// Closes mappings that the config says are kept.
class CloseIdle final : public SnapshotRegion {
 public:
  explicit CloseIdle(Core& core) : SnapshotRegion(core) { core.setup.close_at_zero = true; }
};
TEST(AlltoallvKept, AMappingOfLiveMemoryIsNotEvicted) {
  EXPECT_THAT(run_policy<SnapshotRegion>(kPlain, two()), IsEmpty());
  EXPECT_THAT(run_policy<CloseIdle>(kPlain, two()), Contains("refusal mapping"));
}

/// Leaves its mappings open until the context is destroyed.
class LeaveOpen final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  CloseRule close_rule() const override {
    return core_.scheduler.site() == harness::Label("close") ? CloseRule::blind
                                                             : CloseRule::counted;
  }
};
TEST(AlltoallvKept, AClosingProcessLeavesNoMappingOpen) {
  EXPECT_THAT(run_policy<LeaveOpen>(kPlain, two()), Contains("leak region"));
}

// ---- scratch ------------------------------------------------------------------------------------

class KeepTeam final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void destroy_team(std::uint32_t, std::uint32_t) override {}
};
TEST(AlltoallvKept, ADestroyedTeamReleasesItsScratch) {
  EXPECT_THAT(run_policy<SnapshotRegion>(kPlain, gather()), IsEmpty());
  EXPECT_THAT(run_wrapper<KeepTeam>(kPlain, gather()), Contains("leak reference to a mapping"));
}

/// Closes mappings with the team that are kept as long as the process.
class CloseScratch final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  CloseRule close_rule() const override {
    return core_.scheduler.site() == harness::Label("destroy_team") ? CloseRule::blind
                                                                    : CloseRule::counted;
  }
};
TEST(AlltoallvKept, AMappingOfScratchIsNotEvicted) {
  EXPECT_THAT(run_policy<CloseScratch>(kPlain, gather()), Contains("refusal mapping"));
}

/// Frees its scratch before the others have unmapped it.
class FreeScratchEarly final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void create_team(std::uint32_t rank, std::uint32_t team, Topology topology) override {
    path_.create_team(rank, team, topology);
    const harness::World& world = *harness::World::current();
    for (const harness::Life& life : world.ledger.lives())
      if (life.alive && life.kind == harness::Label("device memory") &&
          life.birth_site == harness::Label("create_team") &&
          life.birth_activation == harness::World::current()->picker.current().name)
        scratch_[rank] = life.address;
  }
  void destroy_team(std::uint32_t rank, std::uint32_t team) override {
    cuMemFree(scratch_[rank]);
    path_.destroy_team(rank, team);
  }

 private:
  std::array<CUdeviceptr, kRankLimit> scratch_{};
};
TEST(AlltoallvKept, ScratchLivesWhileTheTeamHasItMapped) {
  EXPECT_THAT(run_wrapper<FreeScratchEarly>(kPlain, gather()),
              Contains("wrong_owner device memory"));
}

TEST(AlltoallvKept, ATeamWaitsForRanksThatHaveItsScratchMapped) {
  EXPECT_THAT(run_policy<LeaveTeamAtOnce>(kPlain, gather()), Contains("wrong_owner device memory"));
}

TEST(AlltoallvKept, ATeamWaitsForRanksThatHaveItsEventsOpen) {
  EXPECT_THAT(run_policy<SnapshotRegion>(kPlain, one()), IsEmpty());
  EXPECT_THAT(run_policy<LeaveTeamAtOnce>(kPlain, one()), Contains("wrong_owner event"));
}

// ---- answers ------------------------------------------------------------------------------------

template <Status answer>
class Answer final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status wait(std::uint32_t rank, Request request) override {
    const Status status = path_.wait(rank, request);
    return rank == 0 ? answer : status;
  }
  Status test(std::uint32_t rank, Request request) const override {
    return rank == 0 ? answer : path_.test(rank, request);
  }
};

/// Returns the faults when an error is injected into the `nth` call of `rank` for its first
/// collective: 0 is cuEventRecord, 1 the opening of the peer's memory, which returns "already
/// mapped" (1) or fails (3).
template <Maker make>
std::vector<std::string> run_failing(std::uint16_t nth, std::uint32_t rank = 0,
                                     std::uint32_t how = 1, const Program& program = one(),
                                     const char* config = kPlain) {
  using harness::Label;
  harness::Runner runner;
  const harness::Scenario& broken = broken_scenario<make>();
  Case the_case{&broken, variant_named("snapshot_region"), harness::parse_config(broken, config),
                &sim(), program.tape()};
  const harness::Name op =
      harness::derive_name(harness::slot_name(0, 0), Label("rank").hash(), rank);
  the_case.tape.push_back({harness::derive_name(op, Label("collective").hash(), 0),
                           harness::site_tag(harness::Site::failure), nth, how});
  return faults_of(runner.run(the_case));
}

TEST(AlltoallvKept, AnErrorIsNotSwallowed) {
  EXPECT_THAT(run_failing<make_policy<SnapshotRegion>>(0), IsEmpty());
  EXPECT_THAT(run_failing<make_wrapper<Answer<Status::ok>>>(0), Contains("refusal wait"));
}
TEST(AlltoallvKept, AReportedErrorMustHaveHappened) {
  EXPECT_THAT(run_failing<make_policy<SnapshotRegion>>(1), IsEmpty());
  EXPECT_THAT(run_failing<make_wrapper<Answer<Status::driver_error>>>(1), Contains("refusal wait"));
}

/// Rank 0 has made all its copies when rank 1 fails to map its memory.
TEST(AlltoallvKept, ARankWithAllItsDataDoesNotFailForAPeer) {
  EXPECT_THAT(run_failing<make_policy<SnapshotRegion>>(1, 1, 3), IsEmpty());
  EXPECT_THAT(run_failing<make_wrapper<Answer<Status::peer_error>>>(1, 1, 3),
              Contains("refusal wait"));
}
TEST(AlltoallvKept, ARankWithoutItsDataMayFailForAPeer) {
  EXPECT_THAT(run_failing<make_policy<SnapshotRegion>>(0, 1), IsEmpty());
  EXPECT_THAT(run_failing<make_wrapper<Answer<Status::peer_error>>>(0, 1), IsEmpty());
}

/// Opens memory again as long as the result is "already mapped".
class OpenBusily final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void drop(std::uint32_t rank, Buffer buffer) override {
    CUdeviceptr address = 0;
    while (cuIpcOpenMemHandle(&address, {}, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) ==
           CUDA_ERROR_ALREADY_MAPPED) {
    }
    path_.drop(rank, buffer);
  }
};
/// Returns the faults if the first `count` opens in rank 0's drop return "already mapped".
std::vector<std::string> run_refused(std::uint16_t count) {
  harness::Runner runner;
  const harness::Scenario& broken = broken_scenario<make_wrapper<OpenBusily>>();
  Case the_case{&broken, variant_named("snapshot_region"), harness::parse_config(broken, kPlain),
                &sim(), one().script(Op::drop, {1}).tape()};
  const harness::Name drop =
      harness::derive_name(harness::slot_name(0, 1), harness::Label("rank").hash(), 0);
  for (std::uint16_t nth = 0; nth < count; ++nth)
    the_case.tape.push_back({drop, harness::site_tag(harness::Site::failure), nth, 1});
  return faults_of(runner.run(the_case));
}
TEST(AlltoallvKept, ABlockedOpenIsNotRetriedForever) {
  EXPECT_THAT(run_refused(60), IsEmpty());
  EXPECT_THAT(run_refused(61), Contains("api_misuse cuIpcOpenMemHandle"));
}

/// Destroys a null event.
class DestroyNothing final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void destroy_team(std::uint32_t rank, std::uint32_t team) override {
    cuEventDestroy(nullptr);
    path_.destroy_team(rank, team);
  }
};
TEST(AlltoallvKept, ACudaCallWithoutAnInjectedErrorDoesNotFail) {
  EXPECT_THAT(run_wrapper<DestroyNothing>(kPlain, two()), Contains("api_misuse cuEventDestroy"));
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
