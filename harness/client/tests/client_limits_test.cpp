// SPDX-License-Identifier: Apache-2.0
// Time limits that pass although other threads can run: a mistake that this shows is a finding, and
// a program that only gives up is not.
#include <string>

#include "harness/base/tests/sampled.h"
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run_toys;
using testing::script;
using ::testing::StartsWith;
using testing::Words;

class ClientLimits : public testing::RunStage {
 protected:
  static Words native(const std::string& part) {
    return {testing::program_folder() / "client_limited", part};
  }
  static Words python(const std::string& part) { return {"python3", script("limited.py"), part}; }

  /// Expects the finding of a limit that passes, which each replay shows.
  void expect_found(const Words& command) const {
    const json result = found({"--runs", "100"}, command, 1);
    EXPECT_THAT(result["failures"], IsEmpty());
    ASSERT_GE(result["findings"].size(), 1u) << result;
    const json& finding = result["findings"][0];
    EXPECT_THAT(finding["kind"], AnyOf("use_after_free", "data_race")) << finding;
    EXPECT_THAT(answers_of(finding), Contains(EndsWith(" passes"))) << finding;
    EXPECT_EQ(finding["doubt"], "");
    EXPECT_EQ(finding["shown"], 3);
    const Ended ended = run_toys({"replay", finding["file"]});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  }
  void expect_sound(Words command, bool is_fixed = false) const {
    if (is_fixed) command.emplace_back("fixed");
    const json result = found({"--runs", "50"}, command, 0);
    EXPECT_THAT(result["findings"], IsEmpty());
    EXPECT_THAT(result["failures"], IsEmpty());
  }
  static Words answers_of(const json& finding) {
    Words answers;
    for (const json& decision : finding["decisions"]) answers.push_back(decision["answer"]);
    return answers;
  }
};

// ---- buffers that are freed when a limit has passed ---------------------------------------------

class ClientLimitsOfNative : public ClientLimits,
                             public ::testing::WithParamInterface<const char*> {};
TEST_P(ClientLimitsOfNative, ABufferFreedWhenItsLimitHasPassedIsFound) {
  expect_found(native(GetParam()));
}
TEST_P(ClientLimitsOfNative, ABufferFreedAfterItsLastUseIsNot) {
  expect_sound(native(GetParam()), true);
}
INSTANTIATE_TEST_SUITE_P(Parts, ClientLimitsOfNative,
                         ::testing::Values("condition", "semaphore", "piped", "joined", "promised",
                                           "slept"),
                         [](const auto& info) { return std::string(info.param); });

class ClientLimitsOfPython : public ClientLimits,
                             public ::testing::WithParamInterface<const char*> {};
TEST_P(ClientLimitsOfPython, ABufferFreedWhenItsLimitHasPassedIsFound) {
  expect_found(python(GetParam()));
}
TEST_P(ClientLimitsOfPython, ABufferFreedAfterItsLastUseIsNot) {
  expect_sound(python(GetParam()), true);
}
INSTANTIATE_TEST_SUITE_P(Parts, ClientLimitsOfPython,
                         ::testing::Values("event", "queued", "acquired", "joined", "future",
                                           "piped", "slept"),
                         [](const auto& info) { return std::string(info.param); });

// ---- sound programs -----------------------------------------------------------------------------

class ClientLimitsOfSound : public ClientLimits,
                            public ::testing::WithParamInterface<const char*> {};
TEST_P(ClientLimitsOfSound, ANativeProgramThatRetriesOrGivesUpHasNoFinding) {
  expect_sound(native(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Parts, ClientLimitsOfSound,
                         ::testing::Values("server", "heartbeat", "watchdog", "joins", "gives_up",
                                           "throws", "several"),
                         [](const auto& info) { return std::string(info.param); });

class ClientLimitsOfSoundPython : public ClientLimits,
                                  public ::testing::WithParamInterface<const char*> {};
TEST_P(ClientLimitsOfSoundPython, APythonProgramThatRetriesOrGivesUpHasNoFinding) {
  expect_sound(python(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Parts, ClientLimitsOfSoundPython,
                         ::testing::Values("server", "heartbeat", "watchdog", "joins", "gives_up",
                                           "timer"),
                         [](const auto& info) { return std::string(info.param); });

// The limit also passes if the device is so late that no thread can run.
TEST_F(ClientLimits, ABufferFreedBeforeALateHostFunctionIsFound) {
  const json result = found({"--runs", "60"}, native("called_back"), 1);
  ASSERT_GE(result["findings"].size(), 1u) << result;
  EXPECT_EQ(result["findings"][0]["kind"], "data_race");
  expect_sound(native("called_back"), true);
}

// ---- what counts after a limit ------------------------------------------------------------------

TEST_F(ClientLimits, ACrashAfterALimitIsAFinding) {
  const json result = found({"--runs", "200"}, native("crashes"), 1);
  ASSERT_EQ(result["findings"].size(), 1u) << result;
  EXPECT_EQ(result["findings"][0]["kind"], "failure");
  EXPECT_THAT(result["findings"][0]["ended"], StartsWith("was ended by signal 11"));
  EXPECT_THAT(answers_of(result["findings"][0]), Contains("the time limit of thread 1 passes"));
}

TEST_F(ClientLimits, ADeadlockAfterALimitIsAFinding) {
  const json result = found({"--runs", "200"}, native("deadlocks"), 1);
  ASSERT_EQ(result["findings"].size(), 1u) << result;
  EXPECT_THAT(result["findings"][0]["signature"], StartsWith("failure deadlock"));
  EXPECT_THAT(answers_of(result["findings"][0]), Contains("the time limit of thread 1 passes"));
}

TEST_F(ClientLimits, AFindingIsReplayedAsItWas) {
  for (const Words& command : {native("condition"), python("queued")}) {
    const json result = found({"--runs", "100"}, command, 1);
    ASSERT_GE(result["findings"].size(), 1u);
    for (unsigned i = 0; i < sampled(20, 4); ++i) {
      const Ended ended = run_toys({"replay", result["findings"][0]["file"]});
      EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
      EXPECT_THAT(ended.out, HasSubstr("\nas recorded\n"));
    }
  }
}

}  // namespace
}  // namespace harness
