// SPDX-License-Identifier: Apache-2.0
// The story shows the race: accesses of ranks to shared state are reported in UCC's terms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/search/tests/corpus.h"
#include "scenarios/alltoallv/tests/alltoallv_cases.h"

namespace scenarios::alltoallv::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A run of a committed reproducer, possibly with another variant.
struct Recorded {
  std::vector<std::string> notes;
  std::vector<harness::Fault> faults;
};

Recorded record(const char* name, std::string_view variant) {
  harness::Case the_case = harness::testing::read_corpus(scenario, "repros").at(name).the_case;
  the_case.variant = variant_named(variant);
  harness::Runner runner;
  const harness::Outcome& outcome = runner.run(the_case);
  Recorded recorded{{}, outcome.faults};
  for (const harness::Event& event : runner.history().events())
    if (event.kind == harness::EventKind::note) recorded.notes.emplace_back(event.what.view());
  return recorded;
}

/// Expects these notes in this order, possibly with others in between.
void expect_in_order(const std::vector<std::string>& notes, std::span<const char* const> steps) {
  auto at = notes.begin();
  for (const char* step : steps) {
    at = std::find(at, notes.end(), step);
    ASSERT_NE(at, notes.end()) << step;
    ++at;
  }
}

TEST(AlltoallvStory, ShowsTheFourStepsOfTheReport) {
  const Recorded recorded = record("reread_slot-source_reread", "reread_slot");
  constexpr std::array kSteps{
      "shm_barrier_start: all are in the completion barrier of collective 1",
      "shm_barrier_test: out of the completion barrier of collective 1",
      "put_sync: sync_state[0] = 0",
      "get_sync: sync_state[0] = 2",
      "setup_start: collective 2, mem_info_src.ptr =",
      "unmap: rank 0's mem_info_src.ptr is",
  };
  expect_in_order(recorded.notes, kSteps);
  ASSERT_EQ(recorded.faults.size(), 2u);
  EXPECT_EQ(recorded.faults[0].detail, "word 0 is of collective 2, where collective 1 reads");
  EXPECT_TRUE(recorded.faults[1].fatal);
  EXPECT_THAT(recorded.faults[1].detail, HasSubstr("0x78"));
}

// A correct read is reported as a step, not as a note.
TEST(AlltoallvStory, HasNoNoteOnACorrectKey) {
  const Recorded recorded = record("reread_slot-source_reread", "third_barrier");
  EXPECT_TRUE(recorded.faults.empty());
  EXPECT_THAT(recorded.notes, Not(Contains(HasSubstr("mem_info_src.ptr is"))));
  EXPECT_THAT(recorded.notes, Contains("put_sync: sync_state[0] = 0"));
}

TEST(AlltoallvStory, NamesTheCloserAndTheHolder) {
  const Recorded recorded = record("snapshot_pointer-key_reused", "snapshot_pointer");
  EXPECT_THAT(recorded.notes, Contains("map_memhandle: stale handle, refcount 1: throws out"));
  ASSERT_FALSE(recorded.faults.empty());
  EXPECT_THAT(recorded.faults,
              Contains(::testing::Field(&harness::Fault::detail,
                                        AllOf(HasSubstr("closed for collective"),
                                              HasSubstr("while it is held by collective")))));
}

TEST(AlltoallvStory, ShowsATriggeredPostContinuingAfterAFailedSetUp) {
  const Recorded recorded = record("reread_slot-setup_ignored", "reread_slot");
  constexpr std::array kSteps{
      "get_sync: sync_state[1] = 1",
      "setup_start: collective 1, mem_info_src.ptr =",
      "triggered_post: collective 1, whose triggered_post_setup failed, is posted all the same",
      "put_sync: sync_state[1] = 0",
  };
  expect_in_order(recorded.notes, kSteps);
  EXPECT_THAT(record("reread_slot-setup_ignored", "snapshot_region").faults, ::testing::IsEmpty());
}

TEST(AlltoallvStory, ShowsABatchReadingBeforeItsSourceIsFilled) {
  const Recorded recorded = record("reread_slot-read_ahead", "reread_slot");
  ASSERT_FALSE(recorded.faults.empty());
  EXPECT_EQ(recorded.faults.front().object_kind, harness::Label("destination"));
  EXPECT_THAT(record("reread_slot-read_ahead", "batch_without_proxies").faults,
              ::testing::IsEmpty());
}

TEST(AlltoallvStory, ShowsABatchCopyForAPairWithAProxy) {
  const Recorded recorded = record("reread_slot-pair_ignored", "reread_slot");
  ASSERT_FALSE(recorded.faults.empty());
  EXPECT_EQ(recorded.faults.front().use_site, harness::Label("post_batch_copies"));
  EXPECT_THAT(record("reread_slot-pair_ignored", "read_in_any_order").faults, ::testing::IsEmpty());
}

TEST(AlltoallvStory, ShowsAHalfOverwrittenBeforeItsReaders) {
  EXPECT_FALSE(record("overwrite_half-half_overwritten", "overwrite_half").faults.empty());
  EXPECT_THAT(record("overwrite_half-half_overwritten", "read_in_any_order").faults,
              ::testing::IsEmpty());
}

TEST(AlltoallvStory, NamesTheRankThatHasFreedScratchMapped) {
  const Recorded recorded = record("reread_slot-scratch_freed", "reread_slot");
  ASSERT_FALSE(recorded.faults.empty());
  EXPECT_THAT(recorded.faults.front().detail, HasSubstr("has it mapped for the team"));
  EXPECT_THAT(record("reread_slot-scratch_freed", "snapshot_region").faults, ::testing::IsEmpty());
}

TEST(AlltoallvStory, NamesTheMissingRankInADeadlock) {
  const Recorded recorded = record("third_barrier-failed_after_claim", "third_barrier");
  ASSERT_FALSE(recorded.faults.empty());
  EXPECT_THAT(recorded.faults.back().detail, HasSubstr("barrier of slot 1"));
  EXPECT_THAT(recorded.faults.back().detail, HasSubstr("waits for rank "));
  EXPECT_THAT(recorded.notes, Contains(HasSubstr("returns an error, and its peers wait for it")));
}

}  // namespace
}  // namespace scenarios::alltoallv::testing
