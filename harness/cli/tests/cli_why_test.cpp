// SPDX-License-Identifier: Apache-2.0
// `replay --why` says what let a fault happen, and which repair was tried with what result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cli/tests/toys_child.h"
#include "harness/report/story/why.h"

namespace harness {
namespace {

using ::testing::AllOf;
using testing::failing_tape;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_toys;
using testing::toy_case;

/// A toy reproducer of `the_case` in a folder, told with --why.
Ended why(const Case& the_case, std::vector<std::string> options = {"--why"}) {
  const Folder folder;
  const std::string file = folder / "toy.repro";
  write_file(file, testing::reproducer_text(the_case));
  options.insert(options.begin(), {"replay", file});
  return run_toys(options);
}

TEST(CliWhy, NamesTheMissingOrderTheRepairAndWhatCameOfIt) {
  const Ended ended = why(toy_case("borrow", failing_tape()));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("a user sees: an empty box\n"), HasSubstr("\nsides: Box #"),
                    HasSubstr("\nwhy: Nothing makes "), HasSubstr("\nrepair: keep Box "),
                    HasSubstr("\ntried: with it the recorded schedule passes the fault")));
}

TEST(CliWhy, IsSilentWithoutAFaultAndWithoutTheOption) {
  EXPECT_THAT(why(toy_case("retain", testing::toy::small_program())).out, Not(HasSubstr("why:")));
  EXPECT_THAT(why(toy_case("borrow", failing_tape()), {}).out, Not(HasSubstr("repair:")));
}

TEST(CliWhy, IsAboutOneCaseAndNotForPrograms) {
  const Folder folder;
  const std::string file = folder / "toy.repro";
  write_file(file, testing::reproducer_text(toy_case("borrow", failing_tape())));
  const Ended many = run_toys({"replay", file, file, "--why"});
  EXPECT_EQ(many.code, 3);
  EXPECT_THAT(many.err, HasSubstr("--why takes one case"));
  EXPECT_EQ(run_toys({"replay", file, "--why", "--json"}).code, 3);
}

TEST(CliWhy, SaysHowAtomicsOfThePathsOwnStateWhatTheyOrder) {
  const auto told = [](const char* file) {
    return run_child("afterlife", {"replay", file, "--why"}).out;
  };
  const std::string two_tasks = told("corpus/example/repros/borrow-replaced_in_flight.repro");
  EXPECT_THAT(two_tasks, HasSubstr("note: No lock, wait or stream that is known here orders user "
                                   "and owner."));
  EXPECT_THAT(two_tasks, HasSubstr("harness::edge_release()"));
  const std::string one_task = told("corpus/argpack/repros/borrow-dropped_in_flight.repro");
  EXPECT_THAT(one_task, HasSubstr("why: Nothing orders "));
  EXPECT_THAT(one_task, Not(HasSubstr("edge_release")));
}

TEST(CliWhy, SaysWhenNoRepairWorks) {
  EXPECT_EQ(
      reports::remedy_in_words({.tried_count = 3}),
      "repair: none of 3 repairs removes it: holding, releasing, sparing and ordering are not "
      "enough\n");
  EXPECT_THAT(reports::remedy_in_words({}), HasSubstr("nothing had ended"));
}

TEST(LeastRepair, HoldsTheVeryThingThatTheFaultIsAbout) {
  Runner runner;
  const Remedy remedy = least_repair(runner, {toy_case("borrow", failing_tape()), ""});
  ASSERT_TRUE(remedy.found);
  EXPECT_EQ(remedy.repair.kind, RepairKind::hold);
  EXPECT_EQ(remedy.repair.object, Label("Box"));
  EXPECT_FALSE(remedy.repair.got.empty() || remedy.repair.used.empty());
  EXPECT_GE(remedy.schedule_count, 80U);
  EXPECT_GE(remedy.tried_count, 1U);
}

TEST(LeastRepair, FindsNoneWhereThereIsNoFault) {
  Runner runner;
  EXPECT_FALSE(least_repair(runner, {toy_case("retain", testing::toy::small_program()), ""}).found);
}

}  // namespace
}  // namespace harness
