// SPDX-License-Identifier: Apache-2.0
// Handles of streams and events that are reused: what a program keeps by the handle of a destroyed
// one is found, and replays; what it keeps by the stream's id is silent.
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_toys;
using testing::script;

class ClientReusedHandles : public testing::RunStage {};

TEST_F(ClientReusedHandles, AreChosenAndReplay) {
  const std::pair<const char*, const char*> cases[] = {
      {"handle", "handles of destroyed streams are reused"},
      {"event", "handles of destroyed events are reused"}};
  for (const auto& [by, answer] : cases) {
    SCOPED_TRACE(by);
    const json result = found({"--runs", "60"}, {"python3", script("keyed.py"), by}, 1);
    ASSERT_EQ(result["findings"].size(), 1u);
    const json& finding = result["findings"][0];
    EXPECT_EQ(finding["kind"], "data_race");
    EXPECT_THAT(finding.dump(), HasSubstr(answer));
    const Ended ended = run_toys({"replay", finding["file"]});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  }
}

TEST_F(ClientReusedHandles, HaveOtherIds) {
  const json result = found({"--runs", "60"}, {"python3", script("keyed.py"), "id"}, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
}

}  // namespace
}  // namespace harness
