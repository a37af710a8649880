// SPDX-License-Identifier: Apache-2.0
// Runs that fail in some schedules alone, without a fault that has a name: findings of kind
// `failure`. What fails by itself, at random, is none.
#include <set>
#include <string>
#include <tuple>

#include "harness/base/tests/sampled.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using ::testing::Combine;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::run_toys;
using testing::script;
using ::testing::StartsWith;
using ::testing::Values;
using testing::Words;

class ClientFailing : public testing::RunStage {
 protected:
  /// Returns the one finding of a search, which is a failure that each replay showed.
  json only_failure(const Words& options, const Words& command, std::size_t decision_count = 1,
                    const std::string& kind = "failure") const {
    const json result = found(options, command, 1);
    EXPECT_EQ(result["findings"].size(), 1u) << result["findings"];
    EXPECT_THAT(result["failures"], IsEmpty());
    json finding = result["findings"].at(0);
    EXPECT_EQ(finding["kind"], kind);
    EXPECT_EQ(finding["shown"], 3);
    EXPECT_EQ(finding["decisions"].size(), decision_count) << finding["decisions"];
    return finding;
  }

  void expect_as_recorded(const json& finding) const {
    const Ended ended = run_toys({"replay", finding["file"]});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("\nas recorded\n"));
  }
};

TEST_F(ClientFailing, AnErrorThatAFinalizerPassesOverIsAFindingAtItsLine) {
  const std::string file = script("capturing.py");
  const json finding = only_failure({"--runs", "60"}, {"python3", file}, 1, "leak");
  EXPECT_EQ(finding["signature"],
            "leak cuMemFree CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED in capturing.py:__del__");
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "cuda.cuMemFree_v2(self.address)"));
  EXPECT_THAT(finding["ended"], StartsWith("ended with exit code 1: RuntimeError: CUDA error 90"));
  EXPECT_EQ(finding["decisions"][0]["answer"], "the collector runs");
  expect_as_recorded(finding);
}

TEST_F(ClientFailing, TheStorySaysWhichCallFailedAndHowTheProgramEnded) {
  const Ended ended = run({"--runs", "60"}, {"python3", script("capturing.py")});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("leak of device memory\n"));
  EXPECT_THAT(ended.out, HasSubstr(" in __init__, by cuMemAlloc\n"));
  EXPECT_THAT(ended.out, HasSubstr("\n  failed    "));
  EXPECT_THAT(ended.out, HasSubstr(" in __del__, by cuMemFree\n"));
  EXPECT_THAT(ended.out,
              HasSubstr("returned CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, and the device memory is "
                        "alive at the end of the program; without"));
  EXPECT_THAT(ended.out, HasSubstr("\n  ended     the program ended with exit code 1: Runtime"));
  EXPECT_THAT(ended.out, Not(HasSubstr("the program's own failure")));
}

TEST_F(ClientFailing, ARaceOfTwoThreadsToInitializeIsAFindingWithTheSwitchThatItTakes) {
  const std::string file = script("initializing.py");
  const json finding = only_failure({"--runs", "300"}, {"python3", file}, 2);
  EXPECT_EQ(finding["signature"],
            "failure cuDeviceGetCount CUDA_ERROR_NOT_INITIALIZED in initializing.py:count");
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "check(cuda.cuDeviceGetCount("));
  expect_as_recorded(finding);
}

TEST_F(ClientFailing, AnAbortAfterASecondErrorIsAFindingAndNamesBothCalls) {
  const Words program{testing::program_folder() / "client_unmapped"};
  const json finding = only_failure({"--runs", "200", "--failures"}, program);
  EXPECT_EQ(finding["signature"], "failure cuMemUnmap CUDA_ERROR_INVALID_VALUE");
  EXPECT_THAT(finding["ended"], StartsWith("was ended by signal 6"));
  EXPECT_EQ(finding["decisions"][0]["who"], "cuMemMap 2 of thread 1");
  expect_as_recorded(finding);
}

TEST_F(ClientFailing, AnErrorThatTheProgramSurvivesIsANoteAndWithPedanticAFinding) {
  const std::string file = script("initializing.py");
  const char* signature =
      "failure cuDeviceGetCount CUDA_ERROR_NOT_INITIALIZED in initializing.py:count";
  const json noted = found({"--runs", "300"}, {"python3", file, "passing"}, 0);
  EXPECT_THAT(noted["findings"], IsEmpty());
  ASSERT_EQ(noted["survived"].size(), 1u);
  EXPECT_EQ(noted["survived"][0]["signature"], signature);
  EXPECT_GT(noted["survived"][0]["runs"], 1);
  const json finding =
      only_failure({"--runs", "300", "--pedantic"}, {"python3", file, "passing"}, 2);
  EXPECT_EQ(finding["signature"], signature);
  EXPECT_EQ(finding["ended"], "");
  expect_as_recorded(finding);
}

TEST_F(ClientFailing, ASurvivedErrorIsOneLineOfTheSummary) {
  const std::string file = script("initializing.py");
  const Ended ended = run({"--runs", "300"}, {"python3", file, "passing"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              ContainsRegex("(^|\n)the program survived an error, in [0-9]+ of 300 runs: "
                            "cuDeviceGetCount at " +
                            file + ":[0-9]+ returned CUDA_ERROR_NOT_INITIALIZED; "));
  const json locked = found({"--runs", "300"}, {"python3", file, "passing", "locked"}, 0);
  EXPECT_THAT(locked["survived"], IsEmpty());
}

TEST_F(ClientFailing, ASuppressionSpeaksOfASurvivedErrorToo) {
  write_file(folder_ / "known.txt", "failure cuDeviceGetCount # it is asked again\n");
  const json result = found({"--runs", "300", "--suppressions", folder_ / "known.txt"},
                            {"python3", script("initializing.py"), "passing"}, 0);
  EXPECT_THAT(result["survived"], IsEmpty());
}

TEST_F(ClientFailing, TheBuildOfAProgramIsNotedAndAnotherOneIsNamed) {
  const std::string copy = folder_ / "unmapped";
  std::filesystem::copy_file(testing::program_folder() / "client_unmapped", copy);
  const json finding = only_failure({"--runs", "200", "--failures"}, {copy});
  const std::string file = finding["file"];
  json kept = json::parse(read_file(file));
  ASSERT_TRUE(kept.contains("build"));
  EXPECT_THAT(kept["build"], MatchesRegex("[0-9a-f]{8,}"));
  kept["build"] = "0123";
  kept["fault"]["kind"] = "leak";
  write_file(file, kept.dump(2));
  const Ended ended = run_toys({"replay", "--trust", file});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("built again: its build-id is 0123 in the file, "));
}

TEST_F(ClientFailing, TheSummarySaysWhatWasExplored) {
  const Ended ended = run({"--runs", "60"}, {"python3", script("initializing.py"), "locked"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("(^|\n)explored: schedules of the main thread, Thread-1 "
                                       "\\(count\\), Thread-2 \\(count\\)"));
  EXPECT_THAT(ended.out, Not(HasSubstr("not explored")));
}

TEST_F(ClientFailing, TheCorrectedProgramsHaveNone) {
  const std::string native = testing::program_folder() / "client_unmapped";
  for (const Words& command :
       {Words{"python3", script("capturing.py"), "deferred"},
        Words{"python3", script("initializing.py"), "locked"}, Words{native, "mapped"}})
    for (const Words& options : {Words{"--runs", "200"}, Words{"--runs", "200", "--failures"}}) {
      const json result = found(options, command, 0);
      EXPECT_THAT(result["findings"], IsEmpty()) << command.front();
    }
}

TEST_F(ClientFailing, ASuppressionSpeaksOfAFailureToo) {
  write_file(folder_ / "known.txt", "failure __del__ # the issue is filed\n");
  const json result = found({"--runs", "60", "--suppressions", folder_ / "known.txt"},
                            {"python3", script("capturing.py")}, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_GT(result["suppressions"][0]["runs"], 0);
}

TEST_F(ClientFailing, AReplayThatFailsElsewhereIsNotAsRecorded) {
  std::string text = read_file(script("capturing.py"));
  const std::string copy = folder_ / "capturing.py";
  write_file(copy, text);
  const json finding = only_failure({"--runs", "60"}, {"python3", copy}, 1, "leak");
  text.replace(text.find("if DEFERRED and"), 15, "if");
  write_file(copy, text);
  const Ended ended = run_toys({"replay", finding["file"]});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("not as recorded: the file has a fault that the run does not have"));
}

// ---- objects that stay
// ---------------------------------------------------------------------------

/// A kind of object of ending.py, and the words of its leak.
struct ScriptEnding {
  const char* name;
  const char* object;
  const char* born;
  const char* failed;
};

class ClientLeaks : public ClientFailing, public ::testing::WithParamInterface<ScriptEnding> {
 protected:
  const std::string file_ = script("ending.py");
};

TEST_P(ClientLeaks, AnObjectWhoseEndFailedIsOneFindingOfThisKind) {
  const ScriptEnding& ending = GetParam();
  const json finding = only_failure({"--runs", "60"}, {"python3", file_, ending.name}, 1, "leak");
  EXPECT_THAT(finding["signature"], StartsWith(std::string("leak ") + ending.failed + " CUDA_"));
  EXPECT_EQ(finding["object"], ending.object);
  EXPECT_EQ(line_at(finding, "used"), line_of(file_, "if END(self.handle, *REST)"));
  EXPECT_THAT(finding["fix"], StartsWith(std::string("defer ") + ending.failed + " at ending.py:"));
  expect_as_recorded(finding);
  const Ended ended = run({"--runs", "60"}, {"python3", file_, ending.name});
  EXPECT_THAT(ended.out, HasSubstr(std::string("leak of ") + ending.object + "\n"));
  EXPECT_THAT(ended.out, HasSubstr(std::string(", by ") + ending.born + "\n"));
}

TEST_P(ClientLeaks, AnObjectWhoseEndIsRepeatedIsNone) {
  const json finding =
      only_failure({"--runs", "60"}, {"python3", file_, GetParam().name, "retried"});
  EXPECT_THAT(finding["signature"], StartsWith(std::string("failure ") + GetParam().failed));
  EXPECT_EQ(finding["object"], "a call");
}

INSTANTIATE_TEST_SUITE_P(
    Objects, ClientLeaks,
    Values(ScriptEnding{"memory", "device memory", "cuMemAlloc", "cuMemFree"},
           ScriptEnding{"pooled", "device memory", "cuMemAllocAsync", "cuMemFreeAsync"},
           ScriptEnding{"pinned", "pinned memory", "cuMemHostAlloc", "cuMemFreeHost"},
           ScriptEnding{"graph", "executable graph", "cuGraphInstantiate", "cuGraphExecDestroy"}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- at random ---------------------------------------------------------------------------------

class ClientAtRandom : public ClientFailing,
                       public ::testing::WithParamInterface<std::tuple<const char*, const char*>> {
};

TEST_P(ClientAtRandom, AProgramThatFailsByItselfHasNoFinding) {
  const auto& [source, end] = GetParam();
  const std::string copy = folder_ / "at_random.py";
  write_file(copy, read_file(script("at_random.py")));
  const Words command{"python3", copy, source, end};
  const Ended ended = run({"--runs", std::to_string(sampled(30, 12)), "--json"}, command);
  EXPECT_NE(ended.code, 1) << ended.out;
}

INSTANTIATE_TEST_SUITE_P(Programs, ClientAtRandom,
                         Combine(Values("clock", "perf", "urandom", "random", "uuid", "pid",
                                        "counter", "port", "child", "name"),
                                 Values("code", "error", "signal")));

// ---- words -------------------------------------------------------------------------------------

TEST(ClientFailure, TheWordsOfAnEndHaveNoNumbersAndAddresses) {
  EXPECT_EQ(client::without_numbers("exit code 12: at 0x7fff01, line 3x"),
            "exit code #: at #, line #x");
  EXPECT_EQ(client::without_numbers(""), "");
  EXPECT_EQ(client::without_numbers("7"), "#");
}

}  // namespace
}  // namespace harness
