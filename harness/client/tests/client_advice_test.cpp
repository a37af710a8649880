// SPDX-License-Identifier: Apache-2.0
// The advice of a finding, which a run has tried: also for faults of every round of a loop.
#include <set>
#include <string>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_of;
using ::testing::Not;
using testing::script;
using ::testing::SizeIs;
using ::testing::StartsWith;
using testing::Words;

class ClientAdvice : public testing::RunStage {
 protected:
  const std::string file_ = script("in_rounds.py");

  json findings(const Words& how, int code) const {
    Words command{"python3", file_};
    command.insert(command.end(), how.begin(), how.end());
    return found({"--runs", "12", "--seed", "1"}, command, code)["findings"];
  }
  std::string at(const std::string& text) const {
    return "in_rounds.py:" + std::to_string(line_of(file_, text));
  }
};

TEST_F(ClientAdvice, ARunThatEndsWellWithItCounts) {
  const json all = findings({"ends_badly"}, 1);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0]["decisions"].size(), 0u) << "The default run has the fault, and ends with 1.";
  EXPECT_THAT(all[0]["fix"].get<std::string>(), HasSubstr("keep the device memory of "));
}

TEST_F(ClientAdvice, ARunThatEndsBadlyInAnotherWayDoesNotCount) {
  const json all = findings({"ends_badly", "rejected"}, 1);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0]["fix"], "");
}

TEST_F(ClientAdvice, AFaultOfEachRoundGetsOneAndAnAllocationHasItsStream) {
  const json all = findings({"freed"}, 1);
  ASSERT_THAT(all, Not(IsEmpty()));
  std::set<std::string> kinds;
  std::string fixes;
  for (const json& one : all) {
    EXPECT_NE(one["fix"], "") << one;
    fixes += one["fix"].get<std::string>() + "\n";
    kinds.insert(one["kind"]);
  }
  EXPECT_TRUE(kinds.contains("use_after_free"))
      << "each later round would show it, if only one kept the memory";
  EXPECT_TRUE(kinds.contains("recycled_use"));
  EXPECT_THAT(fixes, HasSubstr("wait for the default stream before cuMemsetD8Async at " +
                               at("# A use.") + ": cuMemAllocAsync at "));
  EXPECT_THAT(fixes, HasSubstr("have stream 1 wait, before cuMemsetD8Async at " + at("# A use.") +
                               ", for an event recorded on the default stream after "));
}

TEST_F(ClientAdvice, TheLaterOneInTheProgramWaits) {
  const json all = findings({"filled"}, 1);
  ASSERT_THAT(all, SizeIs(1)) << "one race, in whichever order its uses run";
  EXPECT_EQ(all[0]["fix"], "have stream 1 wait, before cuMemsetD8Async at " + at("# A fill.") +
                               ", for an event recorded on stream 2 after cuMemcpyDtoDAsync at " +
                               at("# A copy.") + " in an earlier round");
}

TEST_F(ClientAdvice, ARaceShowsInEitherOrder) {
  const Ended ended = run({"--runs", "12", "--seed", "1"}, {"python3", file_, "filled"});
  EXPECT_THAT(ended.out, HasSubstr(" also shows as data_race of cuMemsetD8Async at "));
}

class ClientAdviceOfWild : public testing::RunStage {
 protected:
  /// Returns the advice of the only wild access of a program.
  std::string fix_of_wild(const char* how, const Words& options = {}) const {
    Words with{"--runs", "40", "--seed", "1"};
    with.insert(with.end(), options.begin(), options.end());
    const json result = found(with, {"python3", file_, how}, 1);
    std::string fix = "no wild access";
    for (const json& one : result["findings"])
      if (one["kind"] == "wild_access") fix = one["fix"];
    return fix;
  }
  std::string at(const std::string& text) const {
    return "wild.py:" + std::to_string(line_of(file_, text));
  }
  const std::string file_ = script("wild.py");
};

TEST_F(ClientAdviceOfWild, ATableThatIsFilledLateTakesTheWaitOfItsRace) {
  EXPECT_EQ(fix_of_wild("late"), "have stream 2 wait, before follow at " +
                                     at("return cuda.cuLaunch") +
                                     ", for an event recorded on stream 1 after "
                                     "cuMemcpyHtoDAsync at " +
                                     at("# A fill."));
}

TEST_F(ClientAdviceOfWild, OrAWaitForAllIfNoOtherFindingIsKnown) {
  write_file(folder_ / "known.txt", "data_race follow # the issue is filed\n");
  EXPECT_EQ(fix_of_wild("late", {"--suppressions", folder_ / "known.txt"}),
            "wait for all earlier work before follow at " + at("return cuda.cuLaunch") +
                ": it may still be running");
}

TEST_F(ClientAdviceOfWild, AnIndexThatWasFreedIsKept) {
  EXPECT_THAT(fix_of_wild("stale"),
              AllOf(StartsWith("keep the device memory of "),
                    EndsWith("cuMemFree at " + at("# Too early.") + " comes too early")));
}

TEST_F(ClientAdviceOfWild, ProgramsThatWaitOrKeepHaveNoFinding) {
  for (const char* how : {"late", "stale"})
    EXPECT_THAT(found({"--runs", "8"}, {"python3", file_, how, "right"}, 0)["findings"], IsEmpty())
        << how;
}

TEST_F(ClientAdvice, ProgramsThatWaitHaveNoFinding) {
  for (const char* how : {"freed", "filled", "ends_badly"})
    EXPECT_THAT(findings({how, "right"}, 0), IsEmpty()) << how;
}

}  // namespace
}  // namespace harness
