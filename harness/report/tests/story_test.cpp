// SPDX-License-Identifier: Apache-2.0
// A story fits on one screen, shows the most important events, continues to the fault that ended
// the run, and ends with the symptom that a user of the real system sees.
#include "harness/report/story.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/report/story/choice.h"
#include "harness/report/story_lines.h"
#include "harness/run/tables.h"
#include "harness/search/tests/corpus.h"

namespace harness::reports {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t row_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// ---- choice of lines --------------------------------------------------------------------------

Line line(Weight weight, bool is_end = false) { return {0, 0, weight, "words", 1, is_end}; }

std::vector<std::size_t> chosen(const std::vector<Line>& lines, std::size_t room) {
  const std::vector<std::size_t> heights(lines.size(), 1);
  std::vector<std::size_t> indices;
  for (const ChosenLine& one : chosen_lines(lines, heights, room)) indices.push_back(one.index);
  return indices;
}

TEST(StoryChoice, AllEventsAreShownIfTheyFit) {
  EXPECT_EQ(chosen({line(Weight::noise), line(Weight::light), line(Weight::fault, true)}, 3),
            (std::vector<std::size_t>{0, 1, 2}));
}

TEST(StoryChoice, NoiseIsOmittedFirstAndNotCounted) {
  const std::vector<Line> lines{line(Weight::noise), line(Weight::light), line(Weight::noise),
                                line(Weight::fault, true)};
  EXPECT_EQ(chosen(lines, 2), (std::vector<std::size_t>{1, 3}));
  const std::vector<std::size_t> heights(lines.size(), 1);
  for (const ChosenLine& one : chosen_lines(lines, heights, 2)) EXPECT_EQ(one.left_out, 0U);
}

TEST(StoryChoice, EventsOfTheFaultHavePriorityThenOps) {
  const std::vector<Line> lines{
      line(Weight::light), line(Weight::concerned), line(Weight::light),      line(Weight::op),
      line(Weight::light), line(Weight::light),     line(Weight::fault, true)};
  EXPECT_EQ(chosen(lines, 6), (std::vector<std::size_t>{0, 1, 2, 3, 6}));
  EXPECT_EQ(chosen(lines, 4), (std::vector<std::size_t>{0, 1, 6}));
}

TEST(StoryChoice, FinalFaultsAreAlwaysShown) {
  EXPECT_EQ(chosen({line(Weight::op), line(Weight::fault, true), line(Weight::fault, true)}, 0),
            (std::vector<std::size_t>{1, 2}));
}

TEST(StoryChoice, OmittedEventsAreCountedInPlace) {
  const std::vector<Line> lines{line(Weight::light), line(Weight::light), line(Weight::light),
                                line(Weight::fault, true)};
  const std::vector<std::size_t> heights(lines.size(), 1);
  const std::vector<ChosenLine> chosen = chosen_lines(lines, heights, 3);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].index, 2U);
  EXPECT_EQ(chosen[0].left_out, 2U);
}

// ---- committed cases --------------------------------------------------------------------------

/// The story of a committed reproducer.
std::string story_of(const Reproducer& reproducer) {
  Runner runner;
  const Outcome& outcome = runner.run(reproducer.the_case);
  std::size_t fault = 0;
  for (std::size_t i = outcome.faults.size(); i-- > 0;)
    if (!reproducer.faults.empty() && outcome.faults[i].signature() == reproducer.faults.front())
      fault = i;
  return story({reproducer.the_case, outcome, runner.world(), fault}, Terminal{});
}

std::string story_of(std::string_view path, const std::string& name) {
  const Scenario& scenario = *find(tables::scenarios(), path);
  return story_of(testing::read_corpus(scenario, "repros").at(name));
}

TEST(Story, EveryCommittedStoryFitsOnOneScreen) {
  for (const Scenario* scenario : tables::scenarios())
    for (const auto& [name, reproducer] : testing::read_corpus(*scenario, "repros")) {
      const std::string text = story_of(reproducer);
      EXPECT_LE(row_count(text), 25U) << name << "\n" << text;
      EXPECT_THAT(text, Not(HasSubstr(",:"))) << name;
    }
}

TEST(Story, TheSymptomIsTheLastLine) {
  EXPECT_THAT(story_of("argpack", "borrow-nested_replaced"),
              AllOf(HasSubstr("ArgPack #4 dies in delete_argpack"),
                    EndsWith("\na user sees: RuntimeError: invalid DeviceAllocation; SIGSEGV where "
                             "the freed bytes look valid\n")));
  EXPECT_THAT(
      story_of("graph_argument", "borrow-argument_dropped"),
      EndsWith("\na user sees: a wrong value, silently; CUDA_ERROR_ILLEGAL_ADDRESS once the "
               "pool gives it back\n"));
  EXPECT_THAT(
      story_of("graph_argument", "borrow-recycled"),
      EndsWith("\na user sees: a wrong value, silently: the kernel works on the buffer that "
               "got the memory\n"));
  EXPECT_THAT(story_of("alltoallv", "reread_slot-source_reread"),
              EndsWith("\na user sees: SIGSEGV at 0x78, refcount of a null region; with "
                       "--enable-assert an abort before it\n"));
  EXPECT_THAT(story_of("managed_dict", "incref_tagged_word-crash"),
              EndsWith("\na user sees: SIGSEGV at 0xab in PyDict_SetItem: PyDict_Check reads the "
                       "flags of a null type\n"));
}

TEST(Story, ContinuesToTheFaultThatEndedTheRun) {
  const std::string text = story_of("managed_dict", "stale_pointer_store-instance_recycled");
  EXPECT_THAT(text, AllOf(HasSubstr("  19  ! recycled_use: instance"),
                          HasSubstr("  20  ! wild_access: unmapped, found by PyLong_AsLong")));
}

constexpr std::uint64_t kOutOfMemory = 2;  ///< CUDA_ERROR_OUT_OF_MEMORY.

TEST(Story, AFailedCallHasThePriorityOfTheFaultsObject) {
  const Scenario& path = *find(tables::scenarios(), "graph_argument");
  const Reproducer file = testing::read_corpus(path, "repros").at("borrow-attachment_failed");
  Runner runner;
  const Outcome& outcome = runner.run(file.the_case);
  const Telling telling{file.the_case, outcome, runner.world()};
  const Teller teller(telling);
  std::size_t failed = 0;
  for (const Event& event : runner.history().events())
    if (event.kind == EventKind::call && event.value == kOutOfMemory) {
      EXPECT_EQ(teller.line_of(event).weight, Weight::concerned);
      ++failed;
    }
  EXPECT_EQ(failed, 1U);
  EXPECT_THAT(story(telling, {}), HasSubstr("cuUserObjectCreate -> error 2"));
}

TEST(Story, ARaceNamesBothSidesAboveTheEvents) {
  EXPECT_THAT(story_of("example", "borrow-replaced_in_flight"),
              HasSubstr("used by add_one (turn 16 on stream #1, in ask of\n  user); ended by free "
                        "(turn 24 on stream #2, in put of owner)"));
}

TEST(Story, ADefaultStreamIsNamedByItsKind) {
  const Scenario& argpack = *find(tables::scenarios(), "argpack");
  const Case the_case = testing::read_corpus(argpack, "programs").at("nested_replaced").the_case;
  Runner runner;
  const Outcome& outcome = runner.run(the_case);
  const Telling telling{the_case, outcome, runner.world()};
  const Teller teller(telling);
  std::set<std::string> streams;
  for (const Event& event : runner.history().events())
    if (event.kind == EventKind::submit) streams.insert(teller.names().stream(event.object));
  EXPECT_EQ(streams, std::set<std::string>{"legacy stream"});
}

TEST(Story, TheCauseOfALinePrecedesItsText) {
  EXPECT_THAT(story_of("alltoallv", "reread_slot-source_reread"),
              AllOf(HasSubstr("unmap: rank 0's mem_info_src.ptr is device memory #5\n"),
                    HasSubstr("alltoallv  [rank 1]\n")));
}

TEST(Story, TheSetUpIsOneLine) {
  const std::string text = story_of("graph_argument", "borrow-argument_dropped");
  EXPECT_THAT(text, AllOf(ContainsRegex("\n   0  set-up: [0-9]+ calls\n"),
                          Not(HasSubstr("cuLibraryLoadData"))));
}

}  // namespace
}  // namespace harness::reports
