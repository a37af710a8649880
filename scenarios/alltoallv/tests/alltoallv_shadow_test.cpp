// SPDX-License-Identifier: Apache-2.0
// The window that each fact reaches, and which facts are a disorder: fact by fact, without a path.
#include <gtest/gtest.h>

#include <optional>

#include "harness/run/tests/told_scene.h"
#include "scenarios/alltoallv/judges/shadow.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::BirthId;
using targets::alltoallv::Reason;
using targets::alltoallv::Status;

/// A shadow with two ranks and two requests for slot 0: request 0 is the earlier.
class AlltoallvShadow : public ::testing::Test {
 protected:
  AlltoallvShadow() {
    slots_.emplace(told_.scene(), 2, false);
    shadow_.emplace(told_.scene(), *slots_);
  }

  void post(std::uint32_t rank, Request request) { shadow_->posted(post_slot(rank, request)); }
  /// Returns the rank's next post of the request, with the expected tag.
  targets::alltoallv::Posting post_slot(std::uint32_t rank, Request request) {
    const auto round = slots_->round(rank, request) + std::uint64_t{1};
    const auto mark = static_cast<harness::Generation>((request + std::uint64_t{1}) | round << 32);
    const targets::alltoallv::Posting posting{rank, request, 0, request + 1, mark};
    slots_->posted(posting);
    return posting;
  }
  void expect(Window window, bool reached = true) {
    EXPECT_EQ(shadow_->reached(window), reached);
    EXPECT_EQ(told_.scene().observed().reached & ~(std::uint64_t{1} << harness::raw(window)), 0u)
        << "others";
  }
  /// Returns the window of the current disorder, or -1.
  int disorder() const { return shadow_->disorder_before(1); }

  harness::testing::ToldScene told_{scenario};
  std::optional<Slots> slots_;
  std::optional<Shadow> shadow_;
};

// ---- who uses a slot ----------------------------------------------------------------------------

TEST_F(AlltoallvShadow, PublishesWhereAnotherIsNotDone) {
  post(1, 0);
  shadow_->publishing({1, 0, 0}, false);
  post(0, 1);
  shadow_->publishing({0, 1, 0}, false);
  expect(Window::source_reread);
}

TEST_F(AlltoallvShadow, PublishesWhereAProxyIsNotDone) {
  post(1, 0);
  shadow_->publishing({1, 0, 0}, true);
  post(0, 1);
  shadow_->publishing({0, 1, 0}, false);
  EXPECT_TRUE(shadow_->reached(Window::source_reread));
  EXPECT_TRUE(shadow_->reached(Window::proxy_reread));
}

TEST_F(AlltoallvShadow, ClaimsWhereAnotherIsNotDone) {
  post(1, 0);
  shadow_->publishing({1, 0, 0}, false);
  post(0, 1);
  shadow_->claimed({0, 1, 0, 2});
  expect(Window::slot_released);
}

TEST_F(AlltoallvShadow, UsesASlotThatAllAreDoneWith) {
  for (const Request request : {0U, 1U})
    for (const std::uint32_t rank : {0U, 1U}) {
      post(rank, request);
      if (rank == 0) shadow_->claimed({0, request, 0, request + 1});
      shadow_->publishing({rank, request, 0}, true);
      shadow_->waits_no_more(rank, request);
      if (rank == 0) continue;
      shadow_->ended(0, request);
      shadow_->ended(1, request);
    }
  EXPECT_EQ(told_.scene().observed().reached, 0u);
}

// ---- who waits for one --------------------------------------------------------------------------

TEST_F(AlltoallvShadow, FindsASlotFreeThatAnEarlierCollectiveWaitsFor) {
  post(0, 0);
  post(0, 1);
  shadow_->found_free(0);
  expect(Window::claim_race, false);
  shadow_->found_free(1);
  expect(Window::claim_race);
  EXPECT_EQ(disorder(), -1);
  shadow_->claimed({0, 1, 0, 2});
  EXPECT_EQ(disorder(), harness::raw(Window::claim_race));
}

TEST_F(AlltoallvShadow, FindsASlotFreeThatWasAskedForBeforeByALaterNumber) {
  post(0, 1);
  post(0, 0);  // A persistent one, under its former number.
  shadow_->found_free(1);
  expect(Window::claim_race, false);
  shadow_->found_free(0);
  expect(Window::claim_race);
}

TEST_F(AlltoallvShadow, FindsASlotFreeThatNobodyElseWaitsFor) {
  post(0, 0);
  post(0, 1);
  shadow_->waits_no_more(0, 0);
  shadow_->found_free(1);
  shadow_->claimed({0, 1, 0, 2});
  EXPECT_EQ(told_.scene().observed().reached, 0u);
}

TEST_F(AlltoallvShadow, ClaimsASlotThatIsTaken) {
  post(0, 0);
  shadow_->claimed({0, 0, 2, 2});  // And does not write it.
  expect(Window::claim_race, false);
  shadow_->claimed({0, 0, 2, 1});
  expect(Window::claim_race);
  EXPECT_EQ(disorder(), harness::raw(Window::claim_race));
}

TEST_F(AlltoallvShadow, PostsAgainUnderTheNumberThatTheSlotStillHas) {
  shadow_->posting_again({0, 0, 1, 0});
  expect(Window::number_reused, false);
  shadow_->posting_again({0, 0, 1, 1});
  expect(Window::number_reused);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvShadow, EntersByTheStateOfAnotherPost) {
  const harness::Generation first = post_slot(0, 0).mark;
  shadow_->entered({0, 0, first});
  expect(Window::number_reused, false);
  post_slot(0, 0);
  shadow_->entered({0, 0, first});
  expect(Window::number_reused);
  EXPECT_EQ(disorder(), harness::raw(Window::number_reused));
}

TEST_F(AlltoallvShadow, MarksThatAreNotOfThePostAreAFault) {
  const auto posting = post_slot(0, 0);
  EXPECT_TRUE(told_.world().history.faults().empty());
  slots_->posted(posting);  // The second post, with the tag of the first.
  ASSERT_EQ(told_.world().history.faults().size(), 1u);
  EXPECT_EQ(told_.world().history.faults()[0].object_kind, harness::Label("mark"));
}

// ---- what failed --------------------------------------------------------------------------------

TEST_F(AlltoallvShadow, FailsAndStays) {
  shadow_->failed({0, 0, false});
  expect(Window::failed_after_claim);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvShadow, FailsToSetATriggeredPostUp) {
  shadow_->failed({0, 0, true});
  EXPECT_TRUE(shadow_->reached(Window::failed_after_claim));
  EXPECT_TRUE(shadow_->reached(Window::setup_ignored));
  EXPECT_EQ(disorder(), -1);
  shadow_->went_on();
  EXPECT_EQ(disorder(), harness::raw(Window::setup_ignored));
}

TEST_F(AlltoallvShadow, CopiesInABatchWhereThereIsAProxy) {
  shadow_->batching_by_proxy(false);
  expect(Window::pair_ignored);
  EXPECT_EQ(disorder(), -1);
  shadow_->batching_by_proxy(true);
  EXPECT_EQ(disorder(), harness::raw(Window::pair_ignored));
}

TEST_F(AlltoallvShadow, FindsAHalfThatOthersStillRead) {
  shadow_->overwriting(false);
  expect(Window::half_overwritten);
  EXPECT_EQ(disorder(), -1);
  shadow_->overwriting(true);
  EXPECT_EQ(disorder(), harness::raw(Window::half_overwritten));
}

TEST_F(AlltoallvShadow, LeavesATeamWhoseScratchIsMapped) {
  shadow_->leaving(false);
  expect(Window::scratch_freed, false);
  shadow_->leaving(true);
  expect(Window::scratch_freed);
}

TEST_F(AlltoallvShadow, GivesUp) {
  shadow_->gave_up();
  expect(Window::failed_after_claim);
  EXPECT_EQ(disorder(), harness::raw(Window::failed_after_claim));
}

TEST_F(AlltoallvShadow, TakesANumberInVain) {
  shadow_->init_failed({0, 0, Status::no_buffer, true});  // All ranks do that.
  EXPECT_EQ(disorder(), -1);
  shadow_->init_failed({0, 0, Status::driver_error, true});
  EXPECT_EQ(disorder(), harness::raw(Window::number_skipped));
}

TEST_F(AlltoallvShadow, FailsInInitAndTakesNoNumber) {
  shadow_->init_failed({0, 0, Status::driver_error, false});
  expect(Window::number_skipped);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvShadow, KeepsTheFirstDisorder) {
  shadow_->gave_up();
  shadow_->disorder(Window::claim_race);
  EXPECT_EQ(disorder(), harness::raw(Window::failed_after_claim));
  EXPECT_EQ(shadow_->disorder_before(0), -1);
}

// ---- mappings -----------------------------------------------------------------------------------

TEST_F(AlltoallvShadow, ThrowsOutAStaleMappingThatIsUsed) {
  shadow_->evicting({BirthId::none, 0, Reason::stale, {}}, false);
  expect(Window::key_reused, false);
  shadow_->evicting({BirthId::none, 0, Reason::stale, {}}, true);
  expect(Window::key_reused);
}

TEST_F(AlltoallvShadow, ThrowsOutAMappingInTheWayThatIsUsed) {
  for (const Reason reason : {Reason::in_the_way, Reason::purge}) {
    shadow_->evicting({BirthId::none, 0, reason, {}}, false);
    expect(Window::blind_close, reason == Reason::purge);
    shadow_->evicting({BirthId::none, 0, reason, {}}, true);
    expect(Window::blind_close);
  }
}

TEST_F(AlltoallvShadow, FailsToOpen) {
  shadow_->open_failed();
  expect(Window::open_failed);
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
