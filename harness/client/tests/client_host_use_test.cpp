// SPDX-License-Identifier: Apache-2.0
// Uses of memory that it shares with the device by a program itself, in its own lines.
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::script;
using testing::Words;

class ClientHostUse : public testing::RunStage {
 protected:
  static Words unwaited(const char* way) { return {"python3", script("unwaited.py"), way}; }
  json searched(const char* way, int code) const {
    return found({"--runs", "30"}, unwaited(way), code);
  }
  static int line(const char* text) { return line_of(script("unwaited.py"), text); }
};

TEST_F(ClientHostUse, AReadBeforeTheCopyWasWaitedForIsFoundAtItsLineAndReplayed) {
  const json result = searched("read", 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "data_race");
  EXPECT_EQ(finding["used"], "the program's own read");
  EXPECT_EQ(line_at(finding, "used"), line("# No one may have waited."));
  EXPECT_EQ(line_at(finding, "born"), line("# The copy uses the first half."));
  EXPECT_THAT(finding["detail"].get<std::string>(), HasSubstr("cuMemcpyDtoHAsync"));
  ASSERT_EQ(finding["decisions"].size(), 1u) << "that the allocation is watched";
  EXPECT_EQ(finding["decisions"][0]["who"], "cuMemAllocHost 1 of thread 1");
  EXPECT_EQ(finding["shown"], 3);
  const Ended ended = testing::run_toys({"replay", finding["file"]});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("as recorded"));
  EXPECT_THAT(run({"--runs", "30"}, unwaited("read")).out,
              HasSubstr("fix       wait for stream 1 before the program's own read at "));
}

TEST_F(ClientHostUse, AWriteOfWhatACopyMayStillTakeIsFoundAtItsLine) {
  const json result = searched("rewritten", 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_EQ(result["findings"][0]["used"], "the program's own write");
  EXPECT_EQ(line_at(result["findings"][0], "used"), line("# The copy may still take it."));
}

TEST_F(ClientHostUse, TheFindingWithTheLineReplacesTheOneWithout) {
  const Ended ended = run({"--runs", "30"}, unwaited("ended"));
  EXPECT_THAT(ended.out, HasSubstr("  second    " + script("unwaited.py") + ":" +
                                   std::to_string(line("# The copy may still take it."))));
  EXPECT_THAT(ended.out, HasSubstr(" also shows as data_race with the host\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n30 runs, 1 finding; "));
  const json all = searched("ended", 1)["findings"];
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0]["used"], "the program's own write");
  EXPECT_EQ(testing::run_toys({"replay", all[0]["file"]}).code, 0);
}

TEST_F(ClientHostUse, WhatTheProgramMayCountOnIsNone) {
  for (const char* way : {"waited", "sign"}) {
    const json result = searched(way, 0);
    EXPECT_THAT(result["findings"], IsEmpty()) << way;
    EXPECT_THAT(result["failures"], IsEmpty()) << way;
  }
}

TEST_F(ClientHostUse, EveryWayToWaitForACopyIsSeen) {
  const json result = found({"--runs", "40"}, {"python3", script("awaited.py")}, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

TEST_F(ClientHostUse, ASystemCallThatFailsWhereMemoryIsWatchedIsNoFailureOfTheProgram) {
  const json result = searched("file", 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

TEST_F(ClientHostUse, WhatAHostFunctionKnowsTakesNothingFromTheProgram) {
  const json result = found({"--runs", "8"}, {"python3", script("called.py")}, 0);
  EXPECT_THAT(result["findings"], IsEmpty()) << "the program had waited for what it lets go of";
}

}  // namespace
}  // namespace harness
