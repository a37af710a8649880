// SPDX-License-Identifier: Apache-2.0
// `afterlife run` with programs of ours that know nothing of us: scripts in Python, and a program.
#include <set>

#include "harness/client/tests/run_stage.h"

namespace harness {
namespace {

using nlohmann::json;
using testing::expect_one_line;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::line_at;
using testing::line_of;
using testing::run_toys;
using testing::script;
using testing::Words;
namespace fs = std::filesystem;

class CliRun : public testing::RunStage {};

TEST_F(CliRun, FindsWhatTheCollectorEndedInTheLinesOfTheScript) {
  const std::string file = script("collected.py");
  const json result = found({"--runs", "30"}, {"python3", file}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_THAT(result["failures"], IsEmpty());
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "use_after_free");
  EXPECT_EQ(finding["replays"], 3);
  EXPECT_EQ(finding["shown"], 3);
  EXPECT_GT(finding["first_run"], 0) << "the plain run shows nothing";
  ASSERT_EQ(finding["decisions"].size(), 1u) << finding["decisions"];
  EXPECT_EQ(finding["decisions"][0]["answer"], "the collector runs");
  EXPECT_EQ(line_at(finding, "born"), line_of(file, "check(cuda.cuMemAlloc_v2("));
  EXPECT_EQ(line_at(finding, "born", 1), line_of(file, "return Buffer().address"));
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "cuda.cuMemFree_v2("));
  EXPECT_EQ(finding.at("places").at("died").at(0).at("function"), "__del__");
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "cuMemsetD8Async("));
  EXPECT_TRUE(
      fs::equivalent(finding.at("places").at("used").at(0).at("file").get<std::string>(), file));
}

TEST_F(CliRun, TellsItInTheScriptsOwnWords) {
  const Ended ended = run({"--runs", "30"}, {"python3", script("collected.py")});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(ended.out, HasSubstr("check(cuda.cuMemsetD8Async(addres"));
  EXPECT_THAT(ended.out, HasSubstr("the collector runs"));
  EXPECT_THAT(ended.out, HasSubstr("afterlife replay"));
}

TEST_F(CliRun, FindsNothingWhereTheBufferIsKept) {
  const json result = found({"--runs", "30"}, {"python3", script("sound.py")}, 0);
  EXPECT_THAT(result["findings"], IsEmpty());
  EXPECT_THAT(result["failures"], IsEmpty());
  EXPECT_EQ(result["runs"], 30);
  EXPECT_EQ(result["python"], true);
}

TEST_F(CliRun, EverySingleDecisionIsTriedByDeviations) {
  const Words command{"python3", script("collected.py")};
  const Words options{"--strategy", "deviations", "--runs", "60"};
  const json result = found(options, command, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  EXPECT_EQ(result["findings"][0]["decisions"].size(), 1u);
  EXPECT_EQ(result["strategy"], "deviations");
  Words others = options;
  others.insert(others.end(), {"--seed", "9"});
  EXPECT_EQ(result["findings"], found(others, command, 1)["findings"]) << "there is no chance";
}

TEST_F(CliRun, ASearchEndsOnceAllDecisionsAreTriedAndSaysSo) {
  // Each line after the first call asks whether the collector runs.
  const std::string file = folder_ / "short.py";
  write_file(
      file,
      "import ctypes\ninit = ctypes.CDLL('libcuda.so.1').cuInit\ninit(0)\ninit(0)\ninit(0)\n");
  const auto ended = [&](const std::string& runs) {
    return run({"--strategy", "deviations", "--runs", runs}, {"python3", file}).out;
  };
  EXPECT_THAT(ended("50"), HasSubstr("7 runs, 0 findings; every set of at most two choices"));
  EXPECT_THAT(ended("6"), HasSubstr("6 runs, 0 findings; every single choice was tried\n"));
  EXPECT_THAT(ended("2"), HasSubstr("2 runs, 0 findings\n"));
  const Words alone{"--strategy", "deviations", "--runs", "50", "--process-per-run"};
  const json result = found(alone, {"python3", file}, 0);
  EXPECT_EQ(result["runs"], 7);
  EXPECT_EQ(result["tried_whole"], 2);
}

TEST_F(CliRun, AStrategyThatRunHasNotIsRefused) {
  const auto refused = [](const std::string& name, const std::string& why) {
    expect_one_line(run_toys({"run", "--strategy", name, "--", "true"}), 3, why);
  };
  refused("random", "there is no strategy 'random' for run; did you mean 'random_walk'?");
  refused("xyz", "available: random_walk deviations");
  refused(
      "bytes",
      "strategy 'bytes' works within one process, but each run of a program is a separate process");
}

TEST_F(CliRun, TheSameSeedFindsTheSame) {
  json first = found({"--runs", "25", "--seed", "7"}, {"python3", script("collected.py")}, 1);
  json second = found({"--runs", "25", "--seed", "7"}, {"python3", script("collected.py")}, 1);
  EXPECT_EQ(first, second);
}

TEST_F(CliRun, AFindingIsReplayedAsRecordedAndAnEditIsSeen) {
  const std::string copy = folder_ / "copy.py";
  fs::copy_file(script("collected.py"), copy);
  const json result = found({"--runs", "30"}, {"python3", copy}, 1);
  const std::string file = result["findings"].at(0)["file"];
  for (int i = 0; i < 5; ++i) {
    const Ended ended = run_toys({"replay", file});
    EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("as recorded"));
  }
  write_file(copy, read_file(script("sound.py")));
  const Ended ended = run_toys({"replay", file});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.out,
              HasSubstr("not as recorded: the file has a fault that the run does not have"));
}

TEST_F(CliRun, ABrokenFileIsOneLine) {
  write_file(folder_ / "cut.run.json", "{\n  \"afterlife\": \"run 1\", \"comm");
  expect_one_line(run_toys({"replay", folder_ / "cut.run.json"}), 2, "cannot be read");
  fs::resize_file(folder_ / "cut.run.json", 17 << 20);
  expect_one_line(run_toys({"replay", folder_ / "cut.run.json"}), 2, "is over 16 MiB");
}

TEST_F(CliRun, TellsWhereAGraphCapturedIt) {
  const std::string file = script("captured.py");
  const json result = found({"--runs", "2"}, {"python3", file}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["captured"], "cuGraphAddMemsetNode");
  EXPECT_EQ(line_at(finding, "born"), line_of(file, "cuda.cuMemAlloc_v2("));
  EXPECT_EQ(line_at(finding, "captured"), line_of(file, "cuda.cuGraphAddMemsetNode("));
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "cuda.cuMemFree_v2("));
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "cuda.cuGraphLaunch("));
}

TEST_F(CliRun, TellsTheLineOfAKernelThatWasCompiledFromAString) {
  const std::string file = script("compiled.py");
  const json result = found({"--runs", "2"}, {"python3", file}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["used"], "add_one");
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "cuda.cuLaunchKernel("));
  EXPECT_EQ(finding["detail"], "at add.cu:2: 4 bytes at offset 0");
}

TEST_F(CliRun, TellsTheLinesOfAnArrayThatAGraphReadsThroughATexture) {
  const std::string file = script("textured.py");
  const json result = found({"--runs", "2"}, {"python3", file}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "use_after_free");
  EXPECT_EQ(finding["object"], "CUDA array");
  EXPECT_EQ(finding["used"], "sample");
  EXPECT_EQ(line_at(finding, "born"), line_of(file, "cuda.cuArrayCreate_v2("));
  EXPECT_EQ(line_at(finding, "captured"), line_of(file, "cuda.cuLaunchKernel("));
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "cuda.cuArrayDestroy("));
  EXPECT_THAT(finding["detail"].get<std::string>(),
              HasSubstr("at sample.cu:2: 4 bytes at offset 4; parameters copied in"));
}

TEST_F(CliRun, TellsTheLinesOfMemoryThatKernelsAllocateThemselves) {
  const std::string file = script("heaped.py");
  const json result = found({"--runs", "2"}, {"python3", file}, 1);
  ASSERT_EQ(result["findings"].size(), 2u);
  const json& unordered = result["findings"][0];
  EXPECT_EQ(unordered["kind"], "data_race");
  EXPECT_THAT(unordered["detail"].get<std::string>(),
              HasSubstr("nothing orders the free after the use (look)"));
  const json& late = result["findings"][1];
  EXPECT_EQ(late["kind"], "use_after_free");
  EXPECT_EQ(late["object"], "memory of a kernel's malloc()");
  EXPECT_EQ(late["born"], "take");
  EXPECT_EQ(late["died"], "give");
  EXPECT_EQ(late["used"], "look");
  EXPECT_THAT(late["detail"].get<std::string>(), HasSubstr("at heap.cu:7: 4 bytes at offset 0"));
}

TEST_F(CliRun, ModulesAreLinkedByOursWhereAClientLooksWhatIsLoaded) {
  const std::string file = script("linked.py");
  const Ended ended = run({"--runs", "2"}, {"python3", file});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("stored 77\n"));
  EXPECT_THAT(ended.out, HasSubstr("use_after_free of device memory"));
  EXPECT_THAT(ended.out, HasSubstr("by store_base"));
}

TEST_F(CliRun, ADecisionIsNamedByTheCallThatItIsOf) {
  write_file(folder_ / "known.txt", "use_after_free * of the plain run\n");
  const json result = found({"--runs", "20", "--suppressions", folder_ / "known.txt"},
                            {"python3", script("recycled.py")}, 1);
  ASSERT_EQ(result["findings"].size(), 1u) << result["findings"];
  const json& recycled = result["findings"][0];
  EXPECT_EQ(recycled["kind"], "recycled_use");
  ASSERT_EQ(recycled["decisions"].size(), 1u);
  EXPECT_EQ(recycled["decisions"][0]["who"], "cuMemAlloc 5 of thread 1");
  EXPECT_EQ(recycled["decisions"][0]["answer"], "freed storage is reused");
  EXPECT_EQ(recycled["shown"], 3);
}

TEST_F(CliRun, AFaultAtThePlacesOfAFindingIsAnotherFaceOfIt) {
  const Ended ended = run({"--runs", "20"}, {"python3", script("recycled.py")});
  EXPECT_THAT(ended.out, HasSubstr("also shows as recycled_use\nexplored: "));
}

TEST_F(CliRun, TwoBugsOfOneSignatureInTwoFunctionsAreTwoFindingsInTwoFiles) {
  const json result = found({"--runs", "2"}, {"python3", script("alike.py")}, 1);
  ASSERT_EQ(result["findings"].size(), 2u) << result["findings"];
  const json& first = result["findings"][0];
  const json& second = result["findings"][1];
  EXPECT_EQ(first["signature"], second["signature"]);
  EXPECT_EQ(first["at"], "alike.py:allocate, alike.py:encode");
  EXPECT_EQ(second["at"], "alike.py:allocate, alike.py:decode");
  EXPECT_NE(first["file"], second["file"]);
  for (const json& finding : result["findings"])
    EXPECT_EQ(testing::run_toys({"replay", finding["file"]}).code, 0);
}

TEST_F(CliRun, AnUnorderedFreeHasTheLineAndTheStreamOfEachSideAndARepairThatWasTried) {
  const std::string file = script("alike.py");
  const json finding = found({"--runs", "2"}, {"python3", file}, 1)["findings"].at(0);
  EXPECT_EQ(finding["kind"], "data_race");
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "frame, 1, 64, two))"));
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "check(cuda.cuMemFreeAsync(frame"));
  EXPECT_EQ(finding["streams"]["used"], "stream 2");
  EXPECT_EQ(finding["streams"]["died"], "stream 1");
  EXPECT_THAT(finding["fix"].get<std::string>(),
              HasSubstr("have stream 1 wait, before cuMemFreeAsync at alike.py:"));
}

TEST_F(CliRun, ARaceHasTheLineAndTheStreamOfEachUse) {
  const std::string file = script("alike.py");
  const json finding = found({"--runs", "2"}, {"python3", file, "race"}, 1)["findings"].at(0);
  EXPECT_EQ(line_at(finding, "first"), line_of(file, "frame, 3, 64, one))"));
  EXPECT_EQ(line_at(finding, "used"), line_of(file, "frame, 4, 64, two))"));
  EXPECT_EQ(finding["streams"]["first"], "stream 1");
  EXPECT_EQ(finding["streams"]["used"], "stream 2");
  EXPECT_THAT(finding["fix"].get<std::string>(),
              HasSubstr("have stream 2 wait, before cuMemsetD8Async at alike.py:"));
}

TEST_F(CliRun, ARepairThatDoesNotRemoveTheFaultIsNotAdvised) {
  const json result = found({"--runs", "2"}, {"python3", script("alike.py"), "twice"}, 1);
  ASSERT_FALSE(result["findings"].empty());
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "use_after_free");
  EXPECT_EQ(finding["fix"], "") << "without the free the program ends otherwise";
}

TEST_F(CliRun, FaultsOfAForkedChildAndOfItsParentAreFound) {
  const json result = found({"--runs", "2"}, {"python3", script("forked.py")}, 1);
  std::set<std::string> kinds;
  for (const json& finding : result["findings"]) {
    kinds.insert(finding["kind"]);
    EXPECT_EQ(finding["first_run"], 0);
    EXPECT_EQ(finding["shown"], 3);
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"double_free", "use_after_free"}));
}

TEST_F(CliRun, AProgramThatIsNoScriptHasItsFunctionsTold) {
  const std::string program = (testing::program_folder() / "client_native");
  const json result = found({"--runs", "2"}, {program}, 1);
  ASSERT_EQ(result["findings"].size(), 1u);
  const json& finding = result["findings"][0];
  EXPECT_EQ(finding["kind"], "use_after_free");
  EXPECT_EQ(finding["decisions"].size(), 0u) << "the default run shows it";
  EXPECT_EQ(finding.at("places").at("died").at(0).at("function"), "let_go");
  EXPECT_EQ(finding.at("places").at("used").at(0).at("function"), "use_again");
  EXPECT_EQ(finding.at("places").at("born").at(0).at("function"), "main");
  EXPECT_EQ(result["python"], false);
}

// The names in our programs are relative to the folder of the sources.
TEST_F(CliRun, AProgramThatIsNoScriptHasItsLinesToldWhereItsSourcesAre) {
  const std::string program = (testing::program_folder() / "client_native");
  const std::string file = script("native.cpp");
  const json finding = found({"--runs", "1"}, {program}, 1).at("findings").at(0);
  EXPECT_EQ(finding.at("places").at("died").at(0).at("file"), file);
  EXPECT_EQ(line_at(finding, "died"), line_of(file, "\"cuMemFree_v2\")(address)"));
  EXPECT_THAT(run({"--runs", "1"}, {program}).out, HasSubstr("(\"cuMemFree_v2\")(address)"));
}

/// Some are linked for one address, and some are found by PATH, so that their own name has no
/// folder.
TEST_F(CliRun, SoHasOneThatCannotMoveOrWasFoundByItsName) {
  const fs::path programs = testing::program_folder();
  const std::string file = script("native.cpp");
  const Words by_name{"env", "PATH=" + programs.string(), "client_native"};
  for (const Words& command : {Words{programs / "client_fixed"}, by_name}) {
    const json finding = found({"--runs", "1"}, command, 1).at("findings").at(0);
    EXPECT_EQ(finding.at("places").at("died").at(0).at("file"), file) << command.back();
    EXPECT_EQ(line_at(finding, "died"), line_of(file, "\"cuMemFree_v2\")(address)"));
  }
}

TEST_F(CliRun, TheDeviceIsTheSimulatedOne) {
  const Words command{"python3", script("sound.py")};
  EXPECT_EQ(run({"--runs", "2", "--device", "sim"}, command).code, 0);
  for (const char* other : {"gpu", "h100"}) {
    const Ended ended = run({"--runs", "2", "--device", other}, command);
    expect_one_line(ended, 3, "there is no device '");
    EXPECT_THAT(ended.err, HasSubstr("; available: sim"));
  }
  EXPECT_THAT(run_toys({"run", "--help"}).out, HasSubstr("--device RUN_DEVICE"));
}

TEST_F(CliRun, WhatIsSuppressedIsNoFailureAndWhatHasNoUseIsTold) {
  const std::string file = folder_ / "known.txt";
  write_file(file,
             "# known\n\nuse_after_free */collected.py  the buffer is static\n"
             "double_free cuMemFree never seen\n");
  const Words options{"--runs", "25", "--seed", "3", "--suppressions", file};
  const Ended ended = run(options, {"python3", script("collected.py")});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(": use_after_free */collected.py (" + file +
                                   ":3): the buffer is static\n"));
  EXPECT_THAT(ended.out, HasSubstr("unused suppression: double_free cuMemFree (" + file));
  EXPECT_THAT(ended.out, HasSubstr("25 runs, 0 findings"));
  EXPECT_FALSE(fs::exists(folder_ / "found") && !fs::is_empty(folder_ / "found"));
}

TEST_F(CliRun, ASuppressionWithoutAReasonIsOneLineBeforeAnythingRuns) {
  const std::string file = folder_ / "known.txt";
  write_file(file, "* * fine\nuse_after_free cuMemFree\n");
  const Words command{"python3", script("sound.py")};
  const Ended ended = run({"--suppressions", file}, command);
  expect_one_line(ended, 2, file + ":2: ");
  EXPECT_THAT(ended.err, HasSubstr("the reason is missing"));
  EXPECT_EQ(ended.out, "");
  expect_one_line(run({"--suppressions", folder_ / "none"}, command), 2, "none");
  write_file(file, "* * fine\nnokind cuMemFree fine\n");
  const Ended unknown = run({"--runs", "2", "--suppressions", file}, command);
  expect_one_line(unknown, 2, file + ":2: there is no kind of fault 'nokind'; available: *");
  EXPECT_THAT(unknown.err, HasSubstr(" use_after_free "));
}

TEST_F(CliRun, RunsAreForkedAndFindTheSameAsProcessesOfTheirOwn) {
  const Words command{"python3", script("collected.py")};
  json forked = found({"--runs", "25", "--seed", "3"}, command, 1);
  json alone = found({"--runs", "25", "--seed", "3", "--process-per-run"}, command, 1);
  EXPECT_EQ(forked["forked"], true);
  EXPECT_EQ(alone["forked"], false);
  EXPECT_EQ(alone["not_forked"], "");
  forked.erase("forked");
  alone.erase("forked");
  EXPECT_EQ(forked, alone);
}

TEST_F(CliRun, SeveralRunsAtATimeFindTheSameAsOne) {
  const Words command{"python3", script("collected.py")};
  json one = found({"--runs", "25", "--seed", "3"}, command, 1);
  json three = found({"--runs", "25", "--seed", "3", "--jobs", "3"}, command, 1);
  EXPECT_EQ(three["forked"], true);
  EXPECT_EQ(one, three);
}

TEST_F(CliRun, AStrategyThatLooksBackRunsOneAtATime) {
  const Words options{"--jobs", "2", "--strategy", "deviations"};
  expect_one_line(run(options, {"true"}), 3, "leave out --jobs");
}

TEST_F(CliRun, SaysInOneLineWhyNoRunCanBeForked) {
  const std::string file = folder_ / "threads.py";
  write_file(file, "import _thread, time\n_thread.start_new_thread(time.sleep, (0.3,))\n" +
                       read_file(script("sound.py")));
  const Ended ended = run({"--runs", "4"}, {"python3", file});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(
      ended.out,
      HasSubstr("\na process for each run, because forking is impossible: it has 2 threads\n"));
  EXPECT_THAT(ended.out, HasSubstr("4 runs, 0 findings"));
}

TEST_F(CliRun, AFailureOfTheForksAloneIsNotTheProgramsOwn) {
  const std::string file = folder_ / "process.py";
  write_file(file, "import os\nme = os.getpid()\n" + read_file(script("sound.py")) +
                       "if os.getpid() != me: raise SystemExit(3)\n");
  const json result = found({"--runs", "6"}, {"python3", file}, 0);
  EXPECT_THAT(result["failures"], IsEmpty());
  EXPECT_EQ(result["forked"], false);
  EXPECT_EQ(result["not_forked"],
            "a forked run ended with exit code 3, and a separate process does not");
  EXPECT_EQ(result["runs"], 6);
}

TEST_F(CliRun, WhatThePlainRunPrintsIsPassedOnOnce) {
  const Ended ended = run({"--runs", "4"}, {"python3", script("sound.py")});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.out, ::testing::StartsWith("done\nexplored: "));
}

TEST_F(CliRun, StoppedByTheUserSaysSo) {
  Child child("afterlife_toys", words({"--seconds", "60"}, {"python3", script("sound.py")}));
  child.signal_when_taken(SIGINT);
  const Ended ended = child.wait();
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("; stopped"));
}

TEST(CliRunWithSanitizer, IsRefusedInOneLine) {
  if (!kAsan && !kTsan) GTEST_SKIP() << "this build has no sanitizer";
  const Ended ended = run_toys({"run", "--runs", "1", "--", "true"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("use the build dev or release"));
}

}  // namespace
}  // namespace harness
