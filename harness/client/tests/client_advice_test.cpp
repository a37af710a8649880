// SPDX-License-Identifier: Apache-2.0
// The advice of a finding, which a run has tried: also for faults of every round of a loop.
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_of;
using ::testing::Not;
using testing::script;
using ::testing::SizeIs;
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
  bool is_used_late = false;
  std::string fixes;
  for (const json& one : all) {
    if (one["kind"] == "recycled_use") continue;  // It has no end that is too early.
    EXPECT_NE(one["fix"], "") << one;
    fixes += one["fix"].get<std::string>() + "\n";
    is_used_late = is_used_late || one["kind"] == "use_after_free";
  }
  EXPECT_TRUE(is_used_late) << "each later round would show it, if only one kept the memory";
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

TEST_F(ClientAdvice, ProgramsThatWaitHaveNoFinding) {
  for (const char* how : {"freed", "filled", "ends_badly"})
    EXPECT_THAT(findings({how, "right"}, 0), IsEmpty()) << how;
}

}  // namespace
}  // namespace harness
