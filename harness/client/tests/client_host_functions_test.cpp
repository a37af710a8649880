// SPDX-License-Identifier: Apache-2.0
// Functions of the program that the driver calls: they take turns with it, a choice delays them,
// and a deadlock with one is found.
#include <map>
#include <string>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::script;
using testing::Words;

class ClientHostFunctions : public testing::RunStage {
 protected:
  /// Returns how many runs of a search had how many functions called before the program waited.
  std::map<int, int> counts(const Words& options) const {
    const std::string file = folder_ / "counts";
    std::filesystem::remove(file);
    found(options, {"python3", file_, "counting", file}, 0);
    std::map<int, int> runs;
    std::ifstream in(file);
    for (int count = 0; in >> count;) ++runs[count];
    return runs;
  }

  const std::string file_ = script("called_back.py");
};

TEST_F(ClientHostFunctions, OfADriverThatDoesNotLagHaveBeenCalledWhenTheirCallReturns) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(counts({"--runs", "1"}), (std::map<int, int>{{6, 1}}));
}

TEST_F(ClientHostFunctions, AreDelayedByDecisionsAloneTheSameInEachSearch) {
  const std::map<int, int> first = counts({"--runs", "40"});
  EXPECT_GE(first.size(), 3u);
  EXPECT_EQ(counts({"--runs", "40"}), first);
}

TEST_F(ClientHostFunctions, ThatWaitForALockWhichIsHeldOverACallDeadlock) {
  const auto result = found({"--runs", "150"}, {"python3", file_}, 1);
  ASSERT_EQ(result["findings"].size(), 1u) << result["findings"];
  const auto& finding = result["findings"][0];
  EXPECT_THAT(std::string(finding["signature"]), HasSubstr("failure deadlock"));
  EXPECT_EQ(finding["shown"], 3);
  const int call = line_of(file_, "cuda.cuMemFree_v2(");
  const int wait = line_of(file_, "unused.append(block)") - 1;
  EXPECT_EQ(line_at(finding, "used"), call);
  EXPECT_EQ(line_at(finding, "first"), wait);
}

TEST_F(ClientHostFunctions, ThatTakeALockWhichIsFreeDoNot) {
  const auto result = found({"--runs", "150"}, {"python3", file_, "unlocked"}, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

}  // namespace
}  // namespace harness
