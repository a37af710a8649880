// SPDX-License-Identifier: Apache-2.0
// Known facts about the reported race are reproduced: when it can happen at all, and the effect of
// a stale key, depending on the cache of the slow rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using ::testing::ElementsAre;

constexpr const char* kOneSlot = "C=1 ranks=2 close=never";
constexpr const char* kTwoSlots = "C=2 ranks=2 close=never";

std::vector<std::string> run(std::string_view variant, const char* config, const Program& program) {
  harness::Runner runner;
  return faults_of(runner.run(make_case(variant, config, program)));
}

// ---- when ---------------------------------------------------------------------------------------

/// Returns the scenario with ranks that wait for each collective before the next.
harness::Scenario blocking() {
  harness::Scenario other = scenario;
  other.drive = [](harness::Scene& scene) { drive_shaped(scene, {.blocking = true}); };
  return other;
}

/// Runs the program with every set of at most `decisions` more choices.
harness::Proof enumerate(const harness::Scenario& shaped, const char* config,
                         const Program& program, std::uint32_t decisions) {
  harness::Runner runner;
  harness::Limits limits;
  limits.run_limit = ~std::uint64_t{0};
  limits.second_limit = 600;
  const harness::Case the_case{&shaped, variant_named("reread_slot"),
                               harness::parse_config(shaped, config), &sim(), program.tape()};
  const int reread = harness::raw(Window::source_reread);
  return harness::prove(runner, the_case, decisions, limits, {.window = reread});
}

Program collectives(int count) {
  Program program;
  for (int i = 0; i < count; ++i)
    program.script(Op::alltoallv, {static_cast<std::uint32_t>(i % 2)});
  return program;
}

TEST(AlltoallvPreconditions, BlockingCollectivesWithEightSlotsCannotReachTheWindow) {
  // Nine collectives, so that a slot is used twice, with every single choice.
  const harness::Proof proof = enumerate(blocking(), "C=8 ranks=2 close=never", collectives(9), 1);
  EXPECT_TRUE(proof.complete);
  EXPECT_FALSE(proof.failed);
  EXPECT_FALSE(proof.vacuous);
  EXPECT_EQ(proof.reached & 1, 0u) << "the window was reached";
  RecordProperty("runs", static_cast<int>(proof.run_count));
}

TEST(AlltoallvPreconditions, OneSlotAndTwoPostedCollectivesReachIt) {
  const harness::Proof proof = enumerate(scenario, kOneSlot, collectives(2), 1);
  EXPECT_TRUE(proof.failed);
  EXPECT_NE(proof.reached & 1, 0u);
}

TEST(AlltoallvPreconditions, EightSlotsNeedNinePostedCollectives) {
  const harness::Proof eight = enumerate(scenario, "C=8 ranks=2 close=never", collectives(8), 0);
  EXPECT_EQ(eight.reached & 1, 0u);
  const harness::Proof nine = enumerate(scenario, "C=8 ranks=2 close=never", collectives(9), 1);
  EXPECT_TRUE(nine.failed);
}

// ---- effects of a stale key ---------------------------------------------------------------------

const std::string kShadow = "ghost_generation mem_info_src";

TEST(AlltoallvStaleKey, AStaleKeyOfTheSameBufferIsCorrectByLuck) {
  EXPECT_THAT(run("reread_slot", kOneSlot, Program().script(Op::alltoallv).script(Op::alltoallv)),
              ElementsAre(kShadow));
}

TEST(AlltoallvStaleKey, AnUncachedStaleKeyIsTheReportedCrash) {
  EXPECT_THAT(run("reread_slot", kOneSlot, collectives(2)),
              ElementsAre(kShadow, "wild_access missing region"));
}

TEST(AlltoallvStaleKey, ANullKeyLeaksSilently) {
  const Program program = Program().script(Op::alltoallv).script(Op::alltoallv, {0, 0, 0, 1});
  EXPECT_THAT(run("reread_slot", kOneSlot, program),
              ElementsAre(kShadow, "leak reference to a mapping"));
}

TEST(AlltoallvStaleKey, AStaleKeyOfAnIdleMappingWrapsItsCount) {
  const Program program = Program()
                              .script(Op::alltoallv, {1})
                              .script(Op::new_team)
                              .script(Op::alltoallv)
                              .script(Op::alltoallv, {1});
  EXPECT_THAT(run("reread_slot", kOneSlot, program),
              ElementsAre(kShadow, "double_free region", "leak reference to a mapping"));
}

TEST(AlltoallvStaleKey, AStaleKeyOfAHeldMappingStealsItsCount) {
  const Program program =
      Program().script(Op::alltoallv).script(Op::alltoallv, {1}).script(Op::alltoallv, {1});
  EXPECT_THAT(run("reread_slot", kTwoSlots, program),
              ElementsAre(kShadow, "wrong_owner region", "leak reference to a mapping",
                          "double_free region"));
}

TEST(AlltoallvStaleKey, AnIgnoredStaleKeyLeaksInstead) {
  EXPECT_THAT(run("ignore_missing", kOneSlot, collectives(2)),
              ElementsAre(kShadow, "leak reference to a mapping"));
  EXPECT_THAT(run("check_generation", kOneSlot, collectives(2)),
              ElementsAre("leak reference to a mapping"));
}

TEST(AlltoallvStaleKey, FixedVariantsReadNoStaleKey) {
  for (const char* variant : {"snapshot_pointer", "snapshot_region_pointer", "snapshot_region",
                              "unmap_before_barrier", "third_barrier", "release_by_all"})
    EXPECT_THAT(run(variant, kOneSlot, collectives(2)), ElementsAre()) << variant;
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
