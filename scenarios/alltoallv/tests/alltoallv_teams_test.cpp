// SPDX-License-Identifier: Apache-2.0
// Several teams over one cache, and tensors that are pieces of one allocation: state that a rank
// shares among collectives is judged like its own.
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/core/pick/replay.h"
#include "scenarios/alltoallv/enabled_ops.h"
#include "scenarios/alltoallv/tests/alltoallv_broken.h"

namespace scenarios::alltoallv::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kPlain = "C=8 ranks=2 close=never";

/// Results of a run that the tests check.
struct Recorded {
  std::vector<std::string> faults;
  std::vector<std::string> notes;
  int opens = 0;        ///< Number of opens of peers' memory.
  int allocations = 0;  ///< For fills and destinations.
};

Recorded record(Case the_case) {
  harness::Runner runner;
  Recorded recorded{.faults = faults_of(runner.run(the_case)), .notes = {}};
  for (const harness::Event& event : runner.history().events()) {
    if (event.kind == harness::EventKind::note) recorded.notes.emplace_back(event.what.view());
    if (event.kind == harness::EventKind::call &&
        event.what == harness::Label("cuIpcOpenMemHandle") && event.value == CUDA_SUCCESS)
      ++recorded.opens;
  }
  for (const harness::Life& life : runner.world().ledger.lives())
    recorded.allocations +=
        life.kind == harness::Label("device memory") &&
        (life.birth_site == harness::Label("fill") || life.birth_site == harness::Label("prepare"));
  return recorded;
}
Recorded record(std::string_view variant, const char* config, const Program& program) {
  return record(make_case(variant, config, program));
}

// ---- teams --------------------------------------------------------------------------------------

/// Returns a program with a collective of each team, from the same source.
Program one_each() {
  return Program()
      .script(Op::alltoallv)
      .script(Op::second_team)
      .script(Op::alltoallv, {0, 0, 0, 0, 0, 0, 1});
}

TEST(AlltoallvTeams, HaveSeparateSlotsAndNumbersAndOneMapping) {
  const Recorded recorded = record("snapshot_region", kPlain, one_each());
  EXPECT_THAT(recorded.faults, IsEmpty());
  EXPECT_THAT(recorded.notes, AllOf(Contains("get_sync: sync_state[1] = 1"),
                                    Contains("get_sync: sync_state[1] of team 2 = 1")));
  EXPECT_EQ(recorded.opens, 2) << "each rank opens its peer's source once, for both";
}

TEST(AlltoallvTeams, EndAndAreRecreated) {
  const Program program = one_each()
                              .script(Op::end_team)
                              .script(Op::second_team)
                              .script(Op::allgather, {0, 0, 1})
                              .script(Op::new_team);
  for (const harness::VariantInfo& variant : scenario.variants)
    if (variant.claim.kind == harness::ClaimKind::sound)
      EXPECT_THAT(record(variant.name.view(), "C=1 ranks=3 close=at_zero", program).faults,
                  IsEmpty());
}

/// Rank 1 waits for the first team's collective before it starts to make the second team.
TEST(AlltoallvTeams, AreCreatedWhileOthersRunCollectives) {
  const Program program =
      Program().script(Op::alltoallv).script(Op::wait, {2}).script(Op::second_team);
  EXPECT_THAT(record("snapshot_region", kPlain, program).faults, IsEmpty());
}

/// Runs `variant` with error `how` in the `nth` call that rank 0 makes for its second team.
Recorded tell_failing(std::string_view variant, std::uint16_t nth, std::uint32_t how) {
  const Program program = Program().script(Op::allgather).script(Op::second_team);
  Case the_case = make_case(variant, kPlain, program);
  const harness::Name op =
      harness::derive_name(harness::slot_name(0, 1), harness::Label("rank").hash(), 0);
  the_case.tape.push_back({op, harness::site_tag(harness::Site::failure), nth, how});
  return record(the_case);
}

/// "Already mapped", twice: everything is closed, even scratch that another team has mapped.
TEST(AlltoallvTeams, APurgeForOneTeamClosesTheScratchOfAnother) {
  constexpr std::uint32_t kMappedTwice = 2;
  constexpr std::uint16_t kCalls = 12;
  bool is_followed = false;
  for (std::uint16_t nth = 0; nth < kCalls; ++nth) {
    const std::vector<std::string> faults = tell_failing("reread_slot", nth, kMappedTwice).faults;
    is_followed |=
        std::find(faults.begin(), faults.end(), "wild_access missing region") != faults.end();
    EXPECT_THAT(tell_failing("snapshot_region", nth, kMappedTwice).faults, IsEmpty()) << nth;
  }
  EXPECT_TRUE(is_followed) << "the first team lets go of a region that is not there any more";
}

/// Plays a program with an allocator that reuses the last freed block wherever it fits.
class Recycling final : public harness::Strategy {
 public:
  explicit Recycling(const Program& program) { program_.assign(program.tape()); }
  std::uint32_t answer(const harness::Question& question) override {
    if (question.site == harness::Site::reuse) return 1;
    const std::uint32_t value = program_.value(question.activation, question.site, question.nth);
    return value == 0 ? 0 : question.index(value);
  }

 private:
  harness::TapeIndex program_;
};

/// Rank 1 is late, and the last to reach the second team: it maps a former source of rank 0 at the
/// address of rank 0's new scratch.
TEST(AlltoallvTeams, AreCreatedOnceABlockingMappingIsGone) {
  constexpr std::uint32_t kPastItsCopies = 7;  // A delay of `renew`.
  Recycling recycling(Program()
                          .script(Op::second_team)
                          .script(Op::allgather)
                          .script(Op::end_team)
                          .script(Op::alltoallv, {1})
                          .script(Op::renew, {0, 1, kPastItsCopies})
                          .script(Op::second_team));
  harness::Runner runner;
  const harness::Outcome& outcome =
      runner.run(scenario, variant_named("snapshot_region"),
                 harness::parse_config(scenario, kPlain), sim(), recycling);
  EXPECT_THAT(faults_of(outcome), IsEmpty());
  const auto& events = runner.history().events();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const harness::Event& event) {
    return event.what == harness::Label("cuIpcOpenMemHandle") &&
           event.value == CUDA_ERROR_ALREADY_MAPPED;
  })) << "nothing was in the way";
}

/// Leaves its second team to the end of the process.
class KeepSecondTeam final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void destroy_team(std::uint32_t rank, std::uint32_t team) override {
    if (team == 0) path_.destroy_team(rank, team);
  }
};
TEST(AlltoallvTeams, AreJudgedSeparately) {
  const Program gather = Program().script(Op::second_team).script(Op::allgather, {0, 0, 1});
  EXPECT_THAT(run_wrapper<KeepSecondTeam>(kPlain, gather),
              AllOf(Contains("leak reference to a mapping"), Contains("leak IPC event")));
  const Program ended = one_each().script(Op::end_team);
  EXPECT_THAT(run_policy<LeaveTeamAtOnce>(kPlain, ended), Contains("wrong_owner event"));
}

/// Leaves its first team, once made again, to the end of the process.
class KeepNewTeam final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void create_team(std::uint32_t rank, std::uint32_t team, Topology topology) override {
    if (team == 0) ++made_[rank];
    path_.create_team(rank, team, topology);
  }
  void destroy_team(std::uint32_t rank, std::uint32_t team) override {
    if (team != 0 || made_[rank] == 1) path_.destroy_team(rank, team);
  }

 private:
  std::array<int, kRankLimit> made_{};
};
TEST(AlltoallvTeams, AreJudgedByTheEventsOfTheDestroyedTeam) {
  EXPECT_THAT(
      run_wrapper<KeepNewTeam>(kPlain, Program().script(Op::alltoallv).script(Op::new_team)),
      AllOf(Contains("leak IPC event"), Not(Contains("wrong_owner event"))));
}

// The first team's collective, numbered when made, opens events while the second team is made.
TEST(AlltoallvTeams, AreJudgedByTheirOwnEvents) {
  const Program program = Program().script(Op::alltoall).script(Op::second_team);
  EXPECT_THAT(run_policy<NumberAtInit>("C=8 ranks=6 close=never copies=each", program), IsEmpty());
}

/// Rank 0 uses the first team instead of the second.
class MixTeamsUp final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status init(std::uint32_t rank, Request request, const Arguments& arguments) override {
    Arguments other = arguments;
    if (rank == 0) other.team = 0;
    return path_.init(rank, request, other);
  }
};
TEST(AlltoallvTeams, ConfusedTeamsDeadlock) {
  EXPECT_THAT(run_wrapper<MixTeamsUp>(kPlain, one_each()), Contains("deadlock closed"));
}

// ---- pieces of one allocation -------------------------------------------------------------------

/// Returns the case with tensors that are pieces of larger allocations.
Case pooled(Case the_case) {
  const auto theme =
      std::find_if(themes().begin(), themes().end(), [](const Theme& one) { return one.pooled; });
  constexpr std::uint16_t kTheme = 1;  // Second choice of a run.
  the_case.tape.push_back({harness::Name{0}, harness::site_tag(harness::Site::argument), kTheme,
                           static_cast<std::uint32_t>(theme - themes().begin())});
  return the_case;
}

/// Returns a program with a collective for each of the two buffers.
Program both_buffers() { return Program().script(Op::alltoallv).script(Op::alltoallv, {1}); }

TEST(AlltoallvPieces, ShareOneMapping) {
  const Case alone = make_case("snapshot_region", kPlain, both_buffers());
  EXPECT_EQ(record(alone).opens, 4);
  EXPECT_EQ(record(alone).allocations, 8);
  const Recorded recorded = record(pooled(alone));
  EXPECT_THAT(recorded.faults, IsEmpty());
  EXPECT_EQ(recorded.opens, 2) << "one of each rank, for both sources";
  EXPECT_EQ(recorded.allocations, 2) << "one of each rank, for two sources and two destinations";
}

/// The key of another buffer still finds the mapping, which is why the race is seldom seen.
TEST(AlltoallvPieces, PiecesOfOneAllocationHaveOneKey) {
  const Case alone = make_case("reread_slot", "C=1 ranks=2 close=never", both_buffers());
  EXPECT_THAT(record(alone).faults, Contains("wild_access missing region"));
  EXPECT_THAT(record(pooled(alone)).faults, ElementsAre("ghost_generation mem_info_src"));
}

TEST(AlltoallvPieces, AreWrittenInPlaceByAProxy) {
  const Program program =
      Program().script(Op::new_team).script(Op::alltoallv).script(Op::alltoall, {1});
  for (const char* copies :
       {"C=2 ranks=3 close=never copies=each", "C=2 ranks=3 close=never copies=batch"})
    EXPECT_THAT(record(pooled(make_case("snapshot_region", copies, program))).faults, IsEmpty());
}

/// Returns the faults of a broken path with tensors that are pieces.
template <class Broken>
std::vector<std::string> run_pooled(const Program& program) {
  Case the_case = pooled(make_case("snapshot_region", kPlain, program));
  the_case.scenario = &broken_scenario<make_wrapper<Broken>>();
  return record(the_case).faults;
}

/// Sends the next piece.
class SendTheNextPiece final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  Status init(std::uint32_t rank, Request request, const Arguments& arguments) override {
    Arguments other = arguments;
    other.offset += 256 / sizeof(std::int32_t);
    return path_.init(rank, request, other);
  }
};
/// Keeps its buffers.
class KeepVariables final : public Wrapper {
 public:
  using Wrapper::Wrapper;
  void drop(std::uint32_t, Buffer) override {}
};
TEST(AlltoallvPieces, AreJudgedLikeAllocations) {
  EXPECT_THAT(run_pooled<Wrapper>(both_buffers()), IsEmpty());
  EXPECT_THAT(run_pooled<SendTheNextPiece>(both_buffers()),
              AllOf(Contains("wrong_value mem_info_src"), Contains("wrong_value destination")));
  EXPECT_THAT(run_pooled<KeepVariables>(both_buffers()), Contains("leak device memory"));
}

TEST(AlltoallvPieces, KeepTheirAllocationWhileOneIsUsed) {
  const Program dropped = both_buffers().script(Op::wait).script(Op::drop, {0, 0});
  EXPECT_THAT(run_pooled<Wrapper>(dropped), IsEmpty());
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
