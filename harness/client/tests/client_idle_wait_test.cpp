// SPDX-License-Identifier: Apache-2.0
// Races beside a wait that was meant to order them: the finding names it, and why it has no effect.
#include <string>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_of;
using ::testing::Not;
using testing::run_toys;
using testing::script;

class ClientIdleWait : public testing::RunStage {
 protected:
  const std::string file_ = script("early_event.py");

  std::string at(const std::string& text) const {
    return file_ + ":" + std::to_string(line_of(file_, text));
  }
  std::string told(const char* how) const {
    const Ended ended = run({"--runs", "8"}, {"python3", file_, how});
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    return ended.out;
  }
};

TEST_F(ClientIdleWait, AWaitForAnEventThatWasRecordedTooEarlyIsNamed) {
  const std::string text = told("early");
  EXPECT_THAT(text, HasSubstr("\n  waited    " + at("cuda.cuStreamWaitEvent(") +
                              ", by cuStreamWaitEvent on stream 2\n"));
  EXPECT_THAT(text,
              HasSubstr("has no effect: its event was recorded at " + at("# Too early.") +
                        ", before cuMemsetD8Async at " + at("memory, 1, 4096, first") + "\n"));
  EXPECT_THAT(text, HasSubstr("fix       record the event that cuStreamWaitEvent at "));
}

TEST_F(ClientIdleWait, AnEventThatWasNeverRecordedIsNamed) {
  const std::string text = told("never");
  EXPECT_THAT(text, HasSubstr("has no effect: its event was never recorded\n"));
  EXPECT_THAT(text, HasSubstr(": it was never recorded\n"));
}

TEST_F(ClientIdleWait, AnEventThatWasRecordedAgainIsNamed) {
  const std::string text = told("again");
  EXPECT_THAT(text, HasSubstr("\n  waited    " + at("cuda.cuStreamWaitEvent(")));
  EXPECT_THAT(text, HasSubstr("has no effect: its event was recorded again at " + at("# Again.") +
                              " before the wait\n"));
  EXPECT_THAT(text, HasSubstr("fix       record another event at early_event.py:"));
}

TEST_F(ClientIdleWait, ARecordThatFailedIsNamed) {
  const std::string text = told("elsewhere");
  EXPECT_THAT(text, HasSubstr("has no effect: the record of its event at " + at("# Late enough.") +
                              " returned CUDA_ERROR_INVALID_HANDLE\n"));
  EXPECT_THAT(text, HasSubstr("fix       let cuEventRecord at early_event.py:"));
}

TEST_F(ClientIdleWait, TheBytesOfTheUseAreToldBelowIt) {
  const std::string text = told("never");
  EXPECT_LT(text.find("it writes bytes 0 to 4096"), text.find("\n  waited "));
}

TEST_F(ClientIdleWait, AWaitOfTheHostIsNamed) {
  EXPECT_THAT(told("host"),
              HasSubstr(at("cuda.cuEventSynchronize(event)") + ", by cuEventSynchronize\n"));
}

TEST_F(ClientIdleWait, WhereNothingWaitsNoWaitIsNamed) {
  EXPECT_THAT(told("none"), Not(HasSubstr("  waited ")));
}

TEST_F(ClientIdleWait, AWaitThatOrdersTheTwoLeavesNoFinding) {
  EXPECT_THAT(found({"--runs", "8"}, {"python3", file_, "right"}, 0)["findings"], IsEmpty());
}

TEST_F(ClientIdleWait, TheFileKeepsTheWaitAndReplays) {
  const json result = found({"--runs", "8"}, {"python3", file_, "early"}, 1);
  const std::string file = result["findings"][0]["file"];
  const json kept = json::parse(read_file(file));
  EXPECT_EQ(kept["fault"]["without_effect"]["wait"]["site"], "cuStreamWaitEvent");
  const Ended ended = run_toys({"replay", file, "--why"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("why: missing is an order between the two: cuStreamWaitEvent"));
}

}  // namespace
}  // namespace harness
