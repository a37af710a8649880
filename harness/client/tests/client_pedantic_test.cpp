// SPDX-License-Identifier: Apache-2.0
// Faults by the documentation alone: told in a line, and findings where that is wanted.
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using ::testing::Not;
using testing::script;
using ::testing::StartsWith;
using testing::Words;

class ClientPedantic : public testing::RunStage {
 protected:
  const Words staged_{"python3", script("staged.py")};
};

TEST_F(ClientPedantic, IsToldInOneLineAndIsNoFailure) {
  const Ended ended = run({"--runs", "12"}, staged_);
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  const int line = line_of(script("staged.py"), "# The first use of what was copied.");
  EXPECT_THAT(ended.out, HasSubstr("pedantic, in 12 of 12 runs: cuMemcpyDtoHAsync at " +
                                   script("staged.py") + ":" + std::to_string(line)));
  EXPECT_THAT(ended.out, HasSubstr("\n12 runs, 0 findings"));
  EXPECT_THAT(ended.out, StartsWith("read b'\\x00\\x01\\x02'\npedantic")) << "in one line";
}

TEST_F(ClientPedantic, ARunCountsOnce) {
  Words twice = staged_;
  twice.emplace_back("twice");
  EXPECT_THAT(run({"--runs", "3"}, twice).out, HasSubstr("pedantic, in 3 of 3 runs: "));
}

TEST_F(ClientPedantic, TheDriverIsAsThoseOfToday) {
  const json result = found({"--runs", "30"}, staged_, 0);
  EXPECT_THAT(result["failures"], IsEmpty()) << "each run read what was copied";
  ASSERT_EQ(result["pedantic"].size(), 1u);
  EXPECT_EQ(result["pedantic"][0]["runs"], 30);
}

TEST_F(ClientPedantic, IsAFindingWhereThatIsWantedAndIsReplayed) {
  const json result = found({"--runs", "12", "--pedantic"}, staged_, 1);
  EXPECT_THAT(result["pedantic"], IsEmpty());
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "data_race");
  EXPECT_EQ(finding["object"], "bytes of a staged copy");
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_THAT(finding["pedantic"].get<std::string>(), Not(IsEmpty()));
  EXPECT_EQ(line_at(finding, "used"), line_of(script("staged.py"), "# The first use"));
  const Ended ended = testing::run_toys({"replay", finding["file"]});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("as recorded"));
}

TEST_F(ClientPedantic, ACopyMayThenBeLate) {
  const Ended ended = run({"--runs", "30", "--pedantic"}, staged_);
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("read something else")) << "the read came before the copy";
}

TEST_F(ClientPedantic, ARaceThatAnyDriverMayShowIsAFindingBesideIt) {
  Words raced = staged_;
  raced.emplace_back("raced");
  const json result = found({"--runs", "4"}, raced, 1);
  ASSERT_THAT(result["findings"], Not(IsEmpty()));
  for (const json& finding : result["findings"])
    EXPECT_EQ(finding["object"], "bytes of device memory") << "whichever of the two is late";
  EXPECT_EQ(result["findings"][0]["used"], "cuMemcpyHtoD");
  EXPECT_EQ(result["pedantic"].size(), 1u);
}

TEST_F(ClientPedantic, AUseAfterACopyThatDriversOfTodayHaveLateIsAFinding) {
  Words large = staged_;
  large.emplace_back("large");
  const json result = found({"--runs", "20"}, large, 1);
  EXPECT_THAT(result["pedantic"], IsEmpty());
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_EQ(result["findings"][0]["object"], "bytes of device memory");
  EXPECT_EQ(line_at(result["findings"][0], "used"),
            line_of(script("staged.py"), "# The first use"));
  EXPECT_THAT(result["findings"][0]["faces"].dump(), HasSubstr("read something else"));
  EXPECT_THAT(result["failures"], IsEmpty()) << "a consequence of the race";
}

TEST_F(ClientPedantic, MayBeSuppressedAsAFinding) {
  const std::string file = folder_ / "known.txt";
  write_file(file, "data_race */staged.py the stream waits for the default one\n");
  const json result = found({"--runs", "3", "--suppressions", file}, staged_, 0);
  EXPECT_THAT(result["pedantic"], IsEmpty());
  EXPECT_EQ(result["suppressions"][0]["runs"], 3);
}

}  // namespace
}  // namespace harness
