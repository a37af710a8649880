// SPDX-License-Identifier: Apache-2.0
// Repairs of bugs in slots and teams: a rank has several collectives outstanding, and can wait for
// one only if another task progresses the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/search/triage/triage.h"
#include "scenarios/alltoallv/tests/alltoallv_broken.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"
#include "targets/alltoallv/one_repair_less.h"

namespace scenarios::alltoallv::testing {
namespace {

using harness::Case;
using harness::Repair;
using harness::RepairKind;
using targets::alltoallv::LeaveTeamAtOnce;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Returns the common repair of these cases.
Repair repair_of(const std::vector<Case>& cases) {
  harness::Runner runner;
  std::vector<harness::Suspect> suspects;
  for (const Case& one : cases) suspects.push_back({one, ""});
  const harness::Triage found = harness::triage(runner, suspects);
  EXPECT_THAT(found.faultless, IsEmpty());
  EXPECT_THAT(found.unexplained, IsEmpty());
  EXPECT_THAT(found.causes, SizeIs(1));
  return found.causes.empty() ? Repair{} : found.causes[0].repair;
}

constexpr const char* kOneSlot = "C=1 ranks=6 close=never copies=batch";

// A collective that keeps its number takes the slot that its last post still owns.
TEST(AlltoallvTriage, APostIsOrderedAfterTheLastUserOfItsSlot) {
  const Program posted =
      Program().script(Op::persistent).script(Op::persistent).script(Op::post_again);
  const Repair repair = repair_of({make_case("number_at_init", kOneSlot, posted)});
  EXPECT_EQ(repair.kind, RepairKind::order);
  EXPECT_EQ(repair.object, harness::Label("status"));
}

TEST(AlltoallvTriage, AnEventIsKeptForRanksThatHaveItOpen) {
  const Case one{&broken_scenario<make_policy<LeaveTeamAtOnce>>(), variant_named("snapshot_region"),
                 harness::parse_config(scenario, kOneSlot), &sim(),
                 Program().script(Op::alltoallv).tape()};
  EXPECT_EQ(repair_of({one}),
            (Repair{RepairKind::hold, "event", "create_team", "destroy_team", {}}));
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
