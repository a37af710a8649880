// SPDX-License-Identifier: Apache-2.0
// Programs that find out in their own ways that the device is done, which may lag behind.
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::IsEmpty;
using testing::script;

class ClientWaiting : public testing::RunStage {
 protected:
  /// Expects runs without a finding, and that each ends.
  void expect_ends(const char* name) const {
    const json result = found({"--runs", "8", "--timeout", "20"}, {"python3", script(name)}, 0);
    EXPECT_THAT(result["failures"], IsEmpty());
    EXPECT_THAT(result["findings"], IsEmpty());
  }
};

TEST_F(ClientWaiting, AProgramThatAsksAgainAndAgainSeesTheDeviceGoOn) { expect_ends("polled.py"); }

TEST_F(ClientWaiting, AProgramThatWaitsForAHostFunctionWithoutACallGoesOn) {
  expect_ends("called.py");
}

}  // namespace
}  // namespace harness
