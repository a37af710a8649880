// SPDX-License-Identifier: Apache-2.0
// The window that each fact reaches, and which facts are a disorder: fact by fact, without a path.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "harness/base/tests/folder.h"
#include "harness/core/fault/kinds.h"
#include "harness/run/tests/scripted_scene.h"
#include "scenarios/alltoallv/facts.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::BirthId;
using targets::alltoallv::Crossing;
using targets::alltoallv::Reason;
using targets::alltoallv::Status;
using targets::alltoallv::Topology;

/// The facts of a job of two ranks, with two requests for slot 0: request 0 is the earlier.
class AlltoallvWindows : public ::testing::Test {
 protected:
  static constexpr Use kUse{.rank = 0, .request = 0, .peer = 1};
  static constexpr Use kScratchUse{.rank = 1, .peer = 0};

  /// Posts the rank's next post of the request, with the expected tag.
  void post(std::uint32_t rank, Request request) { path_.posted(post_slot(rank, request)); }
  targets::alltoallv::Posting post_slot(std::uint32_t rank, Request request) {
    return {rank, request, 0, request + 1,
            State::mark_of(request, state_.round(rank, request) + std::uint64_t{1})};
  }
  void use_proxy(std::uint32_t rank) {
    facts_.update().team_begun(rank, 0, Topology::ranks_0_and_2_by_proxy);
  }
  bool reached(Window window) { return facts_.reach().reached(window); }
  void expect(Window window, bool is_reached = true) {
    EXPECT_EQ(reached(window), is_reached);
    EXPECT_EQ(scripted_.scene().observed().reached & ~(std::uint64_t{1} << harness::raw(window)),
              0u)
        << "others";
  }
  /// Returns the window of a fault at `tick` that shows nothing itself: of the disorder, or -1.
  int disorder(harness::Tick tick = 1) {
    harness::Fault fault;
    fault.kind = harness::FaultKind::retention;
    fault.tick = tick;
    return facts_.reach().window_of(fault);
  }

  harness::testing::ScriptedScene scripted_{
      scenario, Program().script(Op::alltoallv).script(Op::alltoallv).tape()};
  State state_{scripted_.scene(), {.slots = 2}};
  Facts facts_{scripted_.scene(), state_};
  targets::alltoallv::Observer& path_ = facts_;
};

// ---- users of a slot ----------------------------------------------------------------------------

TEST_F(AlltoallvWindows, PublishingBeforeAnotherRankIsDoneIsSourceReread) {
  post(1, 0);
  path_.publishing({1, 0, 0});
  post(0, 1);
  path_.publishing({0, 1, 0});
  expect(Window::source_reread);
}

TEST_F(AlltoallvWindows, PublishingBeforeAProxyIsDoneIsProxyReread) {
  use_proxy(1);
  post(1, 0);
  path_.publishing({1, 0, 0});
  post(0, 1);
  path_.publishing({0, 1, 0});
  EXPECT_TRUE(reached(Window::source_reread));
  EXPECT_TRUE(reached(Window::proxy_reread));
}

TEST_F(AlltoallvWindows, ClaimingBeforeAnotherRankIsDoneIsSlotReleased) {
  post(1, 0);
  path_.publishing({1, 0, 0});
  post(0, 1);
  path_.claimed({0, 1, 0, 2});
  expect(Window::slot_released);
}

TEST_F(AlltoallvWindows, UsingAFinishedSlotReachesNoWindow) {
  use_proxy(1);
  for (const Request request : {0U, 1U})
    for (const std::uint32_t rank : {0U, 1U}) {
      post(rank, request);
      if (rank == 0) path_.claimed({0, request, 0, request + 1});
      path_.publishing({rank, request, 0});
      path_.arrived({rank, request, Crossing::setup, false});
      if (rank == 0) continue;
      path_.ended(0, request);
      path_.ended(1, request);
    }
  EXPECT_EQ(scripted_.scene().observed().reached, 0u);
}

// ---- waiters for a slot -------------------------------------------------------------------------

TEST_F(AlltoallvWindows, AFreeSlotAwaitedByAnEarlierCollectiveIsAClaimRace) {
  post(0, 0);
  post(0, 1);
  path_.found_free(0);
  expect(Window::claim_race, false);
  path_.found_free(1);
  expect(Window::claim_race);
  EXPECT_EQ(disorder(), -1);
  path_.claimed({0, 1, 0, 2});
  EXPECT_EQ(disorder(), harness::raw(Window::claim_race));
}

TEST_F(AlltoallvWindows, AFreeSlotRequestedEarlierByALaterNumberIsAClaimRace) {
  post(0, 1);
  post(0, 0);  // A persistent one, under its former number.
  path_.found_free(1);
  expect(Window::claim_race, false);
  path_.found_free(0);
  expect(Window::claim_race);
}

TEST_F(AlltoallvWindows, AFreeSlotWithoutAnotherWaiterReachesNoWindow) {
  post(0, 0);
  post(0, 1);
  path_.arrived({0, 0, Crossing::setup, false});
  path_.found_free(1);
  path_.claimed({0, 1, 0, 2});
  EXPECT_EQ(scripted_.scene().observed().reached, 0u);
}

TEST_F(AlltoallvWindows, ClaimingATakenSlotIsAClaimRace) {
  post(0, 0);
  path_.claimed({0, 0, 2, 2});  // And does not write it.
  expect(Window::claim_race, false);
  path_.claimed({0, 0, 2, 1});
  expect(Window::claim_race);
  EXPECT_EQ(disorder(), harness::raw(Window::claim_race));
}

TEST_F(AlltoallvWindows, RepostingUnderTheSlotsNumberIsNumberReused) {
  path_.posting_again({0, 0, 1, 0});
  expect(Window::number_reused, false);
  path_.posting_again({0, 0, 1, 1});
  expect(Window::number_reused);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvWindows, EnteringByTheStateOfAnotherPostIsNumberReused) {
  const harness::Generation first = post_slot(0, 0).mark;
  post(0, 0);
  path_.entered({0, 0, first});
  expect(Window::number_reused, false);
  post(0, 0);
  path_.entered({0, 0, first});
  expect(Window::number_reused);
  EXPECT_EQ(disorder(), harness::raw(Window::number_reused));
}

TEST_F(AlltoallvWindows, MarksOfAnotherPostAreAFault) {
  const auto posting = post_slot(0, 0);
  path_.posted(posting);
  EXPECT_TRUE(scripted_.world().history.faults().empty());
  path_.posted(posting);  // The second post, with the tag of the first.
  ASSERT_EQ(scripted_.world().history.faults().size(), 1u);
  EXPECT_EQ(scripted_.world().history.faults()[0].object_kind, harness::Label("mark"));
}

// ---- failures -----------------------------------------------------------------------------------

TEST_F(AlltoallvWindows, FailingAfterAClaimIsFailedAfterClaim) {
  path_.failed({0, 0, false});
  expect(Window::failed_after_claim);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvWindows, FailingToSetUpATriggeredPostIsSetupIgnored) {
  path_.failed({0, 0, true});
  EXPECT_TRUE(reached(Window::failed_after_claim));
  EXPECT_TRUE(reached(Window::setup_ignored));
  EXPECT_EQ(disorder(), -1);
  path_.went_on(0, 0);
  EXPECT_EQ(disorder(), harness::raw(Window::setup_ignored));
}

TEST_F(AlltoallvWindows, ABatchCopyWithAProxyIsPairIgnored) {
  path_.batching({0, 0, true});  // All pairs have a direct connection.
  expect(Window::pair_ignored, false);
  use_proxy(0);
  path_.batching({0, 0, false});
  expect(Window::pair_ignored);
  EXPECT_EQ(disorder(), -1);
  path_.batching({0, 0, true});
  EXPECT_EQ(disorder(), harness::raw(Window::pair_ignored));
}

TEST_F(AlltoallvWindows, OverwritingAHalfStillReadIsHalfOverwritten) {
  path_.overwriting({0, 0, false});
  expect(Window::half_overwritten);
  EXPECT_EQ(disorder(), -1);
  path_.overwriting({0, 0, true});
  EXPECT_EQ(disorder(), harness::raw(Window::half_overwritten));
}

TEST_F(AlltoallvWindows, LeavingATeamWithMappedScratchIsScratchFreed) {
  path_.leaving({0, 0, true});
  path_.mapped(kScratchUse, BirthId::none, 1);
  path_.leaving({0, 0, false});
  path_.leaving({1, 0, true});
  expect(Window::scratch_freed, false);
  path_.leaving({0, 0, true});
  expect(Window::scratch_freed);
}

TEST_F(AlltoallvWindows, GivingUpIsADisorder) {
  path_.gave_up(0, 0);
  expect(Window::failed_after_claim);
  EXPECT_EQ(disorder(), harness::raw(Window::failed_after_claim));
}

TEST_F(AlltoallvWindows, SkippingANumberIsADisorder) {
  path_.init_failed({0, 0, Status::no_buffer, true});  // All ranks do that.
  EXPECT_EQ(disorder(), -1);
  path_.init_failed({0, 0, Status::driver_error, true});
  EXPECT_EQ(disorder(), harness::raw(Window::number_skipped));
}

TEST_F(AlltoallvWindows, FailingInInitTakesNoNumber) {
  path_.init_failed({0, 0, Status::driver_error, false});
  expect(Window::number_skipped);
  EXPECT_EQ(disorder(), -1);
}

TEST_F(AlltoallvWindows, KeepsTheFirstDisorder) {
  path_.gave_up(0, 0);
  facts_.reach().disorder(Window::claim_race);
  EXPECT_EQ(disorder(), harness::raw(Window::failed_after_claim));
  EXPECT_EQ(disorder(0), -1);
}

// ---- mappings -----------------------------------------------------------------------------------

TEST_F(AlltoallvWindows, EvictingAStaleMappingInUseIsKeyReused) {
  path_.evicting({BirthId::none, 0, Reason::stale, {}});
  expect(Window::key_reused, false);
  path_.mapped(kUse, BirthId::none, 1);
  path_.let_go(kUse, BirthId::none, 1);  // Its collective has not ended.
  path_.evicting({BirthId::none, 0, Reason::stale, {}});
  expect(Window::key_reused);
}

TEST_F(AlltoallvWindows, EvictingABlockingMappingInUseIsABlindClose) {
  path_.mapped(kUse, BirthId::none, 1);
  path_.ended(0, 0);
  for (const Reason reason : {Reason::in_the_way, Reason::purge})
    path_.evicting({BirthId::none, 0, reason, {}});
  expect(Window::blind_close, false);
  path_.mapped(kUse, BirthId::none, 1);
  path_.evicting({BirthId::none, 0, Reason::in_the_way, {}});
  expect(Window::blind_close);
}

TEST_F(AlltoallvWindows, PurgingAMappingInUseIsABlindClose) {
  path_.mapped(kUse, BirthId::none, 1);
  path_.evicting({BirthId::none, 0, Reason::purge, {}});
  expect(Window::blind_close);
}

TEST_F(AlltoallvWindows, AFailedOpenIsOpenFailed) {
  path_.open_failed(0, 1);
  expect(Window::open_failed);
}

// ---- all facts ----------------------------------------------------------------------------------

/// Returns the names that a pattern finds in a file.
std::set<std::string> names_in(const char* file, const char* pattern) {
  const std::string text = harness::read_file(file);
  const std::regex name(pattern);
  std::set<std::string> names;
  for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found)
    names.insert((*found)[1]);
  return names;
}

TEST(AlltoallvFacts, AllFactsOfTheTargetAreForwarded) {
  const auto reported = names_in("targets/alltoallv/observer.h", R"(virtual void (\w+)\()");
  EXPECT_GT(reported.size(), 30u);
  EXPECT_EQ(reported, names_in("scenarios/alltoallv/facts.def", R"(\nFACT\((\w+), )"));
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
