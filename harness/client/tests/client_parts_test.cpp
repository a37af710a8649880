// SPDX-License-Identifier: Apache-2.0
// Programs whose freed storage is given out again in parts, under `afterlife run`.
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::script;

class ClientParts : public testing::RunStage {};

TEST_F(ClientParts, AStalePointerIntoTheMiddleOfOtherMemoryIsFoundInFewRuns) {
  write_file(folder_ / "known.txt", "use_after_free * without the reuse\n");
  const json result = found({"--runs", "40", "--suppressions", folder_ / "known.txt"},
                            {"python3", script("partly_recycled.py")}, 1);
  const json* recycled = nullptr;
  for (const json& finding : result["findings"])
    if (finding["kind"] == "recycled_use") recycled = &finding;
  ASSERT_NE(recycled, nullptr) << result["findings"];
  EXPECT_THAT(recycled->dump(), HasSubstr("of what it meets"));
  EXPECT_THAT(recycled->dump(), HasSubstr("cuMemAllocAsync 5 of thread 1"));
}

TEST_F(ClientParts, TheSoundTwinIsSilent) {
  const testing::Words command{"python3", script("partly_recycled.py"), "fixed"};
  const json result = found({"--runs", "60"}, command, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
}

}  // namespace
}  // namespace harness
