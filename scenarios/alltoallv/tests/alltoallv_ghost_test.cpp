// Which facts reach which window, and which of them are a disorder: fact by fact, without a path.
#include <gtest/gtest.h>

#include <optional>

#include "harness/tests/told_scene.h"
#include "scenarios/alltoallv/judges/ghost.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::BirthId;
using targets::alltoallv::Reason;
using targets::alltoallv::Status;

/// A ghost, which hears of two ranks and two requests for slot 0: request 0 is the earlier.
class AlltoallvGhost : public ::testing::Test {
 protected:
  AlltoallvGhost() {
    slots_.emplace(told_.scene(), 2, false);
    ghost_.emplace(told_.scene(), *slots_);
  }

  void post(std::uint32_t rank, Request request) { ghost_->posted(post_slot(rank, request)); }
  /// The rank's next post of the request, with the mark that it should have.
  targets::alltoallv::Posting post_slot(std::uint32_t rank, Request request) {
    const auto round = slots_->round(rank, request) + std::uint64_t{1};
    const auto mark = static_cast<harness::Generation>((request + std::uint64_t{1}) | round << 32);
    const targets::alltoallv::Posting posting{rank, request, 0, request + 1, mark};
    slots_->posted(posting);
    return posting;
  }
  void expect(Window window, bool reached = true) {
    EXPECT_EQ(ghost_->reached(window), reached);
    EXPECT_EQ(told_.scene().observed().reached & ~(std::uint64_t{1} << harness::raw(window)), 0u)
        << "others";
  }
  /// The window of what results from a disorder, or -1.
  int disorder() const { return ghost_->disorder_before(1); }

  harness::testing::ToldScene told_{scenario};
  std::optional<Slots> slots_;
  std::optional<Ghost> ghost_;
};

// ---- who uses a slot ----------------------------------------------------------------------------

TEST_F(AlltoallvGhost, PublishesWhereAnotherIsNotDone) {
  post(1, 0);
  ghost_->publishing({1, 0, 0}, false);
  post(0, 1);
  ghost_->publishing({0, 1, 0}, false);
  expect(Window::source_reread);
}

TEST_F(AlltoallvGhost, PublishesWhereAProxyIsNotDone) {
  post(1, 0);
  ghost_->publishing({1, 0, 0}, true);
  post(0, 1);
  ghost_->publishing({0, 1, 0}, false);
  EXPECT_TRUE(ghost_->reached(Window::source_reread));
  EXPECT_TRUE(ghost_->reached(Window::proxy_reread));
}

TEST_F(AlltoallvGhost, ClaimsWhereAnotherIsNotDone) {
  post(1, 0);
  ghost_->publishing({1, 0, 0}, false);
  post(0, 1);
  ghost_->claimed({0, 1, 0, 2});
  expect(Window::slot_released);
}

TEST_F(AlltoallvGhost, UsesASlotThatAllAreDoneWith) {
  for (const Request request : {0U, 1U})
    for (const std::uint32_t rank : {0U, 1U}) {
      post(rank, request);
      if (rank == 0) ghost_->claimed({0, request, 0, request + 1});
      ghost_->publishing({rank, request, 0}, true);
      ghost_->waits_no_more(rank, request);
      if (rank == 0) continue;
      ghost_->ended(0, request);
      ghost_->ended(1, request);
    }
  EXPECT_EQ(told_.scene().observed().reached, 0u);
}

// ---- who waits for one --------------------------------------------------------------------------

TEST_F(AlltoallvGhost, FindsASlotFreeThatAnEarlierCollectiveWaitsFor) {
  post(0, 0);
  post(0, 1);
  ghost_->found_free(0);
  expect(Window::claim_race, false);
  ghost_->found_free(1);
  expect(Window::claim_race);
  EXPECT_EQ(disorder(), -1);
  ghost_->claimed({0, 1, 0, 2});
  EXPECT_EQ(disorder(), harness::raw(Window::claim_race));
}

TEST_F(AlltoallvGhost, FindsASlotFreeThatWasAskedForBeforeByALaterNumber) {
  post(0, 1);
  post(0, 0);  // A persistent one, under the number that it had.
  ghost_->found_free(1);
  expect(Window::claim_race, false);
  ghost_->found_free(0);
  expect(Window::claim_race);
}

TEST_F(AlltoallvGhost, FindsASlotFreeThatNobodyElseWaitsFor) {
  post(0, 0);
  post(0, 1);
  ghost_->waits_no_more(0, 0);
  ghost_->found_free(1);
  ghost_->claimed({0, 1, 0, 2});
  EXPECT_EQ(told_.scene().observed().reached, 0u);
}

TEST_F(AlltoallvGhost, ClaimsASlotThatIsTaken) {
  post(0, 0);
  ghost_->claimed({0, 0, 2, 2});  // And leaves it.
  expect(Window::claim_race, false);
  ghost_->claimed({0, 0, 2, 1});
  expect(Window::claim_race);
  EXPECT_EQ(disorder(), harness::raw(Window::claim_race));
}

TEST_F(AlltoallvGhost, PostsAgainUnderTheNumberThatTheSlotStillHas) {
  ghost_->posting_again({0, 0, 1, 0});
  expect(Window::number_reused, false);
  ghost_->posting_again({0, 0, 1, 1});
  expect(Window::number_reused);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvGhost, EntersByTheStateOfAnotherPost) {
  const harness::Generation first = post_slot(0, 0).mark;
  ghost_->entered({0, 0, first});
  expect(Window::number_reused, false);
  post_slot(0, 0);
  ghost_->entered({0, 0, first});
  expect(Window::number_reused);
  EXPECT_EQ(disorder(), harness::raw(Window::number_reused));
}

TEST_F(AlltoallvGhost, MarksThatAreNotOfThePostAreAFault) {
  const auto posting = post_slot(0, 0);
  EXPECT_TRUE(told_.world().history.faults().empty());
  slots_->posted(posting);  // The second post, with the mark of the first.
  ASSERT_EQ(told_.world().history.faults().size(), 1u);
  EXPECT_EQ(told_.world().history.faults()[0].object_kind, harness::Label("mark"));
}

// ---- what failed --------------------------------------------------------------------------------

TEST_F(AlltoallvGhost, FailsAndStays) {
  ghost_->failed({0, 0, false});
  expect(Window::failed_after_claim);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvGhost, FailsToSetATriggeredPostUp) {
  ghost_->failed({0, 0, true});
  EXPECT_TRUE(ghost_->reached(Window::failed_after_claim));
  EXPECT_TRUE(ghost_->reached(Window::setup_ignored));
  EXPECT_EQ(disorder(), -1);
  ghost_->went_on();
  EXPECT_EQ(disorder(), harness::raw(Window::setup_ignored));
}

TEST_F(AlltoallvGhost, CopiesInABatchWhereThereIsAProxy) {
  ghost_->batching_by_proxy(false);
  expect(Window::pair_ignored);
  EXPECT_EQ(disorder(), -1);
  ghost_->batching_by_proxy(true);
  EXPECT_EQ(disorder(), harness::raw(Window::pair_ignored));
}

TEST_F(AlltoallvGhost, FindsAHalfThatOthersStillRead) {
  ghost_->overwriting(false);
  expect(Window::half_overwritten);
  EXPECT_EQ(disorder(), -1);
  ghost_->overwriting(true);
  EXPECT_EQ(disorder(), harness::raw(Window::half_overwritten));
}

TEST_F(AlltoallvGhost, LeavesATeamWhoseScratchIsMapped) {
  ghost_->leaving(false);
  expect(Window::scratch_freed, false);
  ghost_->leaving(true);
  expect(Window::scratch_freed);
}

TEST_F(AlltoallvGhost, GivesUp) {
  ghost_->gave_up();
  expect(Window::failed_after_claim);
  EXPECT_EQ(disorder(), harness::raw(Window::failed_after_claim));
}

TEST_F(AlltoallvGhost, TakesANumberInVain) {
  ghost_->init_failed({0, 0, Status::no_buffer, true});  // All ranks do.
  EXPECT_EQ(disorder(), -1);
  ghost_->init_failed({0, 0, Status::driver_error, true});
  EXPECT_EQ(disorder(), harness::raw(Window::number_skipped));
}

TEST_F(AlltoallvGhost, FailsInInitAndTakesNoNumber) {
  ghost_->init_failed({0, 0, Status::driver_error, false});
  expect(Window::number_skipped);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvGhost, KeepsTheFirstDisorder) {
  ghost_->gave_up();
  ghost_->disorder(Window::claim_race);
  EXPECT_EQ(disorder(), harness::raw(Window::failed_after_claim));
  EXPECT_EQ(ghost_->disorder_before(0), -1);
}

// ---- mappings -----------------------------------------------------------------------------------

TEST_F(AlltoallvGhost, ThrowsOutAStaleMappingThatIsUsed) {
  ghost_->evicting({BirthId::none, 0, Reason::stale, {}}, false);
  expect(Window::key_reused, false);
  ghost_->evicting({BirthId::none, 0, Reason::stale, {}}, true);
  expect(Window::key_reused);
}

TEST_F(AlltoallvGhost, ThrowsOutAMappingInTheWayThatIsUsed) {
  for (const Reason reason : {Reason::in_the_way, Reason::purge}) {
    ghost_->evicting({BirthId::none, 0, reason, {}}, false);
    expect(Window::blind_close, reason == Reason::purge);
    ghost_->evicting({BirthId::none, 0, reason, {}}, true);
    expect(Window::blind_close);
  }
}

TEST_F(AlltoallvGhost, FailsToOpen) {
  ghost_->open_failed();
  expect(Window::open_failed);
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
