// SPDX-License-Identifier: Apache-2.0
// Every judge of this path reports a target with a bug: each test breaks the sound policy, or a
// call of the job, in one place only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/alltoallv/tests/alltoallv_broken.h"

namespace scenarios::alltoallv::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPlain = "C=8 ranks=2 close=never";
constexpr const char* kAtZero = "C=1 ranks=2 close=at_zero";

Program two() { return Program().script(Op::alltoallv).script(Op::alltoallv); }
Program again() { return Program().script(Op::persistent).script(Op::post_again, {1}); }

TEST(AlltoallvJudges, FindNothingInASoundVariant) {
  for (const char* config : {kPlain, kAtZero})
    for (const Program& program : {two(), again()})
      EXPECT_THAT(run_policy<SnapshotRegion>(config, program), IsEmpty());
}

// ---- service ------------------------------------------------------------------------------------

class RefuseInit final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status init(std::uint32_t, Request, const Arguments&) override { return Status::not_supported; }
};
TEST(AlltoallvJudges, APathThatRefusesEverythingIsRefuted) {
  EXPECT_THAT(run_wrapper<RefuseInit>(kPlain, two()), Contains("refusal init"));
}

class AcceptInPlace final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status init(std::uint32_t rank, Request request, const Arguments& arguments) override {
    Arguments other = arguments;
    other.in_place = false;
    return path_.init(rank, request, other);
  }
};
TEST(AlltoallvJudges, ADocumentedRefusalIsRequired) {
  EXPECT_THAT(run_wrapper<AcceptInPlace>(kPlain, Program().script(Op::in_place)),
              Contains("wrong_value in place"));
}

class FindNoBuffer final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status init(std::uint32_t, Request, const Arguments&) override { return Status::no_buffer; }
};
TEST(AlltoallvJudges, AVariableFilledByTheCallerIsNotEmpty) {
  EXPECT_THAT(run_wrapper<FindNoBuffer>(kPlain, two()), Contains("refusal init"));
}

template <Status answer>
class FailWait final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status wait(std::uint32_t rank, Request request) override {
    path_.wait(rank, request);
    answered_ = true;
    return answer;
  }
  Status test(std::uint32_t rank, Request request) const override {
    return answered_ ? answer : path_.test(rank, request);
  }

 private:
  bool answered_ = false;
};
TEST(AlltoallvJudges, AnErrorThatWasNotInjectedIsARefusal) {
  EXPECT_THAT(run_wrapper<FailWait<Status::driver_error>>(kPlain, two()), Contains("refusal wait"));
  EXPECT_THAT(run_wrapper<FailWait<Status::peer_error>>(kPlain, two()), Contains("refusal wait"));
}
TEST(AlltoallvJudges, AWaitReturnsAfterItsCollectiveEnded) {
  EXPECT_THAT(run_wrapper<FailWait<Status::in_progress>>(kPlain, two()), Contains("refusal wait"));
}

class FailOpen final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status open(std::uint32_t) override { return Status::driver_error; }
};
class FailFill final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status fill(std::uint32_t, Buffer, std::uint32_t, std::uint32_t) override {
    return Status::driver_error;
  }
};
TEST(AlltoallvJudges, ACallThatFailsForeverIsRefutedAndNotRetried) {
  EXPECT_THAT(run_wrapper<FailOpen>(kPlain, two()), Contains("refusal open"));
  EXPECT_THAT(run_wrapper<FailFill>(kPlain, two()), Contains("refusal fill"));
}

class FailCheck final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status check(std::uint32_t, Request, std::span<const Row>) override {
    return Status::driver_error;
  }
};
class SkipCheck final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status check(std::uint32_t, Request, std::span<const Row>) override { return Status::ok; }
};
TEST(AlltoallvJudges, ResultsAreReadBack) {
  EXPECT_THAT(run_wrapper<FailCheck>(kPlain, two()), Contains("refusal check"));
  EXPECT_THAT(run_wrapper<SkipCheck>(kPlain, two()), Contains("refusal check"));
}

class PostNothing final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void post(std::uint32_t rank, Request request) override {
    if (posted_[rank]++ == 0) path_.post(rank, request);
  }

 private:
  std::array<int, kRankLimit> posted_{};
};
TEST(AlltoallvJudges, ASecondPostMustProduceItsOwnResult) {
  EXPECT_THAT(run_wrapper<PostNothing>(kPlain, again()), Contains("wrong_value destination"));
}

class TestSaysOtherwise final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status test(std::uint32_t, Request) const override { return Status::in_progress; }
};
TEST(AlltoallvJudges, TestAndWaitReturnTheSameStatus) {
  EXPECT_THAT(run_wrapper<TestSaysOtherwise>(kPlain, two()), Contains("wrong_value test"));
}

// ---- mappings -----------------------------------------------------------------------------------

/// Unmaps nothing.
class KeepReferences final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  void unmap(Mappings&, Side, std::uint32_t) override {}
};
/// Loses the references that it has to keep.
class ForgetReferences final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    mappings.of(side, peer) = {};
  }
};
TEST(AlltoallvJudges, AReferenceEndsWithItsCollective) {
  EXPECT_THAT(run_policy<KeepReferences>(kPlain, two()), Contains("leak reference to a mapping"));
  EXPECT_THAT(run_policy<ForgetReferences>(kPlain, two()), Contains("leak reference to a mapping"));
}

/// Unmaps twice.
class LetGoTwice final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    Mapping copy = mappings.of(side, peer);
    SnapshotRegion::unmap(mappings, side, peer);
    mappings.cache_of(peer).unmap_region(copy);
  }
};
TEST(AlltoallvJudges, ACountBelowZeroIsADoubleFree) {
  EXPECT_THAT(run_policy<LetGoTwice>(kPlain, two()), Contains("double_free region"));
}

/// Counts down the mapping of another collective.
class StealCounts final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    Mapping& own = mappings.of(side, peer);
    if (last_.mapped != 0 && last_.use != own.use && !done_) {
      done_ = true;
      Mapping stolen = own;
      stolen.region = last_.region;
      return mappings.cache_of(peer).unmap_region(stolen);
    }
    last_ = own;
    if (mappings.post().rank.number != 0) return SnapshotRegion::unmap(mappings, side, peer);
  }

 private:
  Mapping last_;
  bool done_ = false;
};
TEST(AlltoallvJudges, AStolenCountIsAWrongOwner) {
  const Program program = Program().script(Op::alltoallv).script(Op::alltoallv, {1});
  EXPECT_THAT(run_policy<StealCounts>(kPlain, program), Contains("wrong_owner region"));
}

/// Closes any conflicting mapping, whatever its count, but leaves nothing open at the end.
class CloseBlindly final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  CloseRule close_rule() const override {
    return core_.scheduler.site() == harness::Label("close") ? CloseRule::counted
                                                             : CloseRule::blind;
  }
};
TEST(AlltoallvJudges, ABlindCloseIsAWrongOwner) {
  const auto programs = harness::testing::read_corpus(scenario, "programs");
  Case the_case = programs.at("blind_close").the_case;
  EXPECT_THAT(search_policy<CloseBlindly>(the_case), Contains("wrong_owner region"));
}

/// Keeps unused mappings open although the config says that they are closed.
class KeepIdle final : public SnapshotRegion {
 public:
  explicit KeepIdle(Core& core) : SnapshotRegion(core) { core.setup.close_at_zero = false; }
};
TEST(AlltoallvJudges, AnUnusedMappingIsClosedAtZero) {
  EXPECT_THAT(run_policy<KeepIdle>(kAtZero, two()), ElementsAre("leak region"));
}

// ---- slots --------------------------------------------------------------------------------------

/// Rank 0 leaves it to the others to free the slot, and they leave it to rank 0.
class KeepSlots final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  Release release() const override {
    return core_.scheduler.process() == harness::ProcessId::first ? Release::by_all
                                                                  : Release::by_rank_0;
  }
};
TEST(AlltoallvJudges, ASlotIsFreeWhenAllRanksAreDone) {
  EXPECT_THAT(run_policy<KeepSlots>(kPlain, Program().script(Op::alltoallv)),
              ElementsAre("leak slot"));
}

// ---- memory -------------------------------------------------------------------------------------

/// Keeps a collective's memory after finalize.
class KeepRequests final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void finalize(std::uint32_t, Request) override {}
};
TEST(AlltoallvJudges, ObjectsHeldOnlyByACollectiveEndWithIt) {
  EXPECT_THAT(run_wrapper<KeepRequests>(kPlain, two()), Contains("leak device memory"));
}

class KeepVariables final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void drop(std::uint32_t, Buffer) override {}
};
TEST(AlltoallvJudges, ObjectsHeldOnlyByAVariableEndWithIt) {
  EXPECT_THAT(run_wrapper<KeepVariables>(kPlain, two()), Contains("leak device memory"));
}

/// Leaves its team to the end of the process.
class KeepTeam final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void destroy_team(std::uint32_t, std::uint32_t) override {}
};
TEST(AlltoallvJudges, LeaksAreCheckedBeforeTheClose) {
  EXPECT_THAT(run_wrapper<KeepTeam>(kPlain, two()), Contains("leak IPC event"));
}

// ---- contents of a slot -------------------------------------------------------------------------

/// Passes other arguments to init: `change` modifies one of them.
template <void (*change)(Arguments&)>
class Change final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status init(std::uint32_t rank, Request request, const Arguments& arguments) override {
    Arguments other = arguments;
    change(other);
    return path_.init(rank, request, other);
  }
};
void shift(Arguments& arguments) { arguments.offset += 4; }
void send_less(Arguments& arguments) { --arguments.exchange.send_count[1]; }
void send_from_elsewhere(Arguments& arguments) { ++arguments.exchange.send_displacement[1]; }
void take_elsewhere(Arguments& arguments) { ++arguments.exchange.receive_displacement[1]; }
TEST(AlltoallvJudges, EveryFieldOfASlotHasTheCallersValue) {
  EXPECT_THAT(run_wrapper<Change<shift>>(kPlain, two()), Contains("wrong_value mem_info_src"));
  EXPECT_THAT(run_wrapper<Change<send_less>>(kPlain, two()), Contains("wrong_value shares"));
  EXPECT_THAT(run_wrapper<Change<send_from_elsewhere>>(kPlain, two()),
              Contains("wrong_value shares"));
  EXPECT_THAT(run_wrapper<Change<take_elsewhere>>(kPlain, two()), Contains("wrong_value shares"));
}

/// Reads the key from the slot again.
class Reread final : public SnapshotRegion {
 public:
  using SnapshotRegion::SnapshotRegion;
  void unmap(Mappings& mappings, Side side, std::uint32_t peer) override {
    Policy::unmap(mappings, side, peer);  // NOLINT(bugprone-parent-virtual-call): not its parent's.
  }
};
TEST(AlltoallvJudges, AWordOfAnotherPostIsAGhostGeneration) {
  EXPECT_THAT(run_policy<Reread>("C=1 ranks=2 close=never", two()),
              Contains("ghost_generation mem_info_src"));
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
